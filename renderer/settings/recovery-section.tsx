/** Recovery: the modes with one example each, and the tools that must not run twice. */
import { Radio, TagsInput } from '@mantine/core';
import type { ComponentProps, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry, ToolView } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { Chip } from '../parts/state-chip';
import { SectionHead, SourceTag, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import type { ToolRow } from '../parts/tools-table';
import { SettingGroups } from './setting-rows';
import { isOverridden, toggled } from './settings-view';
import { todayCounts, todayText } from './today-view';
import { useWholeSetting } from './use-whole-setting';

const MODES = ['safe_only', 'always', 'never'] as const;
export type Mode = (typeof MODES)[number];

/** The three modes as cards; each shows what can go wrong. */
export function ModeCards({
  value,
  onChange,
  isDisabled = false,
}: {
  value: string;
  onChange: (mode: Mode) => void;
  isDisabled?: boolean;
}): ReactElement {
  return (
    <Radio.Group
      value={value}
      onChange={(mode) => {
        const picked = MODES.find((known) => known === mode);
        if (picked) onChange(picked);
      }}
      aria-label={t('setting.resilience.recovery.mode')}
    >
      <div className="card rows mode-cards">
        {MODES.map((mode) => (
          <Radio.Card key={mode} value={mode} className="mode-card" disabled={isDisabled}>
            <Radio.Indicator />
            <span className="grow">
              <span className="m5">{t(`mode.${mode}`)}</span>
              <span className="mode-about">
                {t(`mode.${mode}.about`)}
                {mode === 'always' ? (
                  <>
                    {' '}
                    <span className="ink-attention m5">{t('mode.always.risk')}</span>
                  </>
                ) : null}
              </span>
              <span className="mode-about t3">{t(`mode.${mode}.example`)}</span>
            </span>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}

/**
 * A row for each entry of the list as written, with the matching tool if known, and for each
 * proposed tool that no entry matches. Sorted by tool, so that no row moves when it is switched.
 */
export function offeredTools(
  tools: readonly ToolView[],
  listed: readonly string[],
): readonly ToolRow[] {
  const entriesOf = (tool: ToolView): readonly string[] =>
    listed.filter((entry) => entry === tool.name || tool.listedAs.includes(entry));
  const known = tools.flatMap((tool): ToolRow[] => {
    const entries = entriesOf(tool);
    if (entries.length === 0) return tool.isProposed ? [tool] : [];
    return entries.map((name) => ({ ...tool, name }));
  });
  const names = new Set(known.map(({ name }) => name));
  return [...known, ...listed.filter((name) => !names.has(name)).map((name) => ({ name }))];
}

export function RecoverySection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const mode = entries.find((entry) => entry.key === 'resilience.recovery.mode');
  const list = entries.find((entry) => entry.key === 'resilience.recovery.side_effect_tools');
  const tools = useVerb('tools.list', {});
  const saveMode = useCommand('config.set');
  const saveList = useWholeSetting(list);
  const listed = Array.isArray(list?.value) ? list.value.map(String) : [];
  const offered = offeredTools(tools.data?.tools ?? [], listed);
  const isListFixed = list === undefined || isOverridden(list);
  const write = (change: (names: readonly string[]) => readonly string[]): void =>
    void saveList.write((value) => [...change(Array.isArray(value) ? value.map(String) : [])]);
  return (
    <div className="columns recovery-columns">
      <div className="stack settings-stack">
        {mode ? (
          <section>
            <SettingHead title={t('setting.resilience.recovery.mode')} entry={mode} />
            <ModeCards
              value={String(mode.value)}
              isDisabled={isOverridden(mode)}
              onChange={(value) => void saveMode.run({ key: mode.key, value })}
            />
            <TroubleNote trouble={saveMode.trouble} />
          </section>
        ) : null}
        {list ? (
          <section>
            <SettingHead title={t('setting.resilience.recovery.side_effect_tools')} entry={list} />
            <div className="card">
              {offered.length === 0 ? null : (
                <ToolsTable
                  tools={offered}
                  columns={['class', 'why', 'hold']}
                  hold={{
                    listed,
                    isDisabled: isListFixed,
                    onToggle: (name, isOn) => write((names) => toggled(names, name, isOn)),
                  }}
                />
              )}
              <div className="tags-row">
                <TagsInput
                  label={t('tools.all')}
                  description={t('tools.allAbout')}
                  value={listed}
                  data={(tools.data?.tools ?? [])
                    .filter((tool) => tool.isProposed)
                    .map((tool) => tool.name)}
                  disabled={isListFixed}
                  onChange={(names) => write(() => names)}
                  clearable={false}
                />
              </div>
            </div>
            <TroubleNote trouble={saveList.trouble ?? tools.trouble} />
          </section>
        ) : null}
        <SettingGroups section="recovery" entries={entries} />
      </div>
      <aside className="stack settings-stack" aria-label={t('settings.with')}>
        <section>
          <SectionHead title={t('settings.with')} />
          <Today />
          <div className="card rows with-these">
            <With tone="kept" mark="mark" title={t('with.goesOn')}>
              {t(`with.goesOn.${knownMode(mode?.value)}`)}
            </With>
            <With tone="ambiguous" mark="diamond" title={t('with.asks')}>
              {t(`with.asks.${knownMode(mode?.value)}`)}
              {knownMode(mode?.value) === 'safe_only' && listed.length === 0
                ? ` ${t('with.noneListed')}`
                : ''}
            </With>
            <With tone="muted" mark="pause" title={t('with.parked')}>
              {t('with.parkedAbout', {
                count: Number(
                  entries.find((entry) => entry.key === 'resilience.recovery.max_attempts')
                    ?.value ?? 3,
                ),
              })}
            </With>
          </div>
        </section>
        <section className="card quiet padded sm">
          <h3>{t('boundary.cannot')}</h3>
          <p className="t2">{t('boundary.cannotText')}</p>
        </section>
      </aside>
    </div>
  );
}

const SettingHead = ({ title, entry }: { title: string; entry: ConfigEntry }): ReactElement => (
  <SectionHead title={title} count={<span className="mono head-key">{entry.key}</span>}>
    <span className="end">
      <SourceTag source={entry.source} />
    </span>
  </SectionHead>
);

const With = ({
  title,
  children,
  ...look
}: Pick<ComponentProps<typeof Chip>, 'tone' | 'mark' | 'children'> & {
  title: string;
}): ReactElement => (
  <div>
    <Chip {...look}>{title}</Chip>
    <p className="sm t2">{children}</p>
  </div>
);

/** What happened to today's interrupted turns. */
function Today(): ReactElement | null {
  const turns = useVerb('turns.list', { limit: 500 });
  const inbox = useVerb('inbox.list', { includeSettled: true, limit: 200 });
  const nowMs = useNow('minute');
  if (turns.data === undefined || inbox.data === undefined) return null;
  return (
    <p className="sm t2 with-today">
      {todayText(todayCounts(turns.data.turns, inbox.data.items, nowMs))}
    </p>
  );
}

const knownMode = (value: unknown): Mode => MODES.find((mode) => mode === value) ?? 'safe_only';
