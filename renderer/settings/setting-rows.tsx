/** Several settings in cards under headings; rarely used ones are collapsed. */
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { SectionHead } from '../parts/texts';
import { byRank, groupsOf } from './setting-groups';
import type { GroupName, SectionName, ShownKey } from './setting-groups';
import { SettingRow } from './setting-row';
import { isChanged } from './settings-view';

interface RowsProps {
  readonly keys: readonly ShownKey[];
  readonly entries: readonly ConfigEntry[];
}

function Rows({ keys, entries }: RowsProps): ReactElement {
  return (
    <ul className="card rows">
      {keys.map((key) => (
        <SettingRow key={key} settingKey={key} entry={entries.find((entry) => entry.key === key)} />
      ))}
    </ul>
  );
}

/** How many are collapsed, and how many of those differ from their defaults. */
function FoldCount({ keys, entries }: RowsProps): ReactElement {
  const changed = entries.filter(
    (entry) => keys.some((key) => key === entry.key) && isChanged(entry),
  );
  return (
    <span className="t3">
      {keys.length}
      {changed.length === 0 ? '' : `, ${t('settings.changed', { count: changed.length })}`}
    </span>
  );
}

/** Settings of one heading: the essential ones, and the others collapsed below. */
export function SettingRows({ keys, entries }: RowsProps): ReactElement {
  const { essential, folded } = byRank(keys);
  return (
    <>
      <Rows keys={essential} entries={entries} />
      {folded.length === 0 ? null : (
        <details className="advanced">
          <summary>
            {t('settings.advanced')} <FoldCount keys={folded} entries={entries} />
          </summary>
          <Rows keys={folded} entries={entries} />
        </details>
      )}
    </>
  );
}

/** One line that says what the settings of a heading are for. */
export function GroupHead({ name }: { name: GroupName }): ReactElement {
  return (
    <>
      <SectionHead title={t(`settings.group.${name}`)} />
      <p className="sm t2 group-about">{t(`settings.groupAbout.${name}`)}</p>
    </>
  );
}

/**
 * The settings of a section under their headings. Headings without an essential setting come last,
 * in one card of collapsed rows. `above` is inserted between a heading and its settings.
 */
export function SettingGroups({
  section,
  entries,
  above = {},
  children,
}: {
  readonly section: SectionName;
  readonly entries: readonly ConfigEntry[];
  readonly above?: Readonly<Partial<Record<GroupName, ReactNode>>>;
  /** Between the headings and the collapsed ones. */
  readonly children?: ReactNode;
}): ReactElement {
  const groups = groupsOf(section);
  const isFolded = ({ keys }: { keys: readonly ShownKey[] }): boolean =>
    byRank(keys).essential.length === 0;
  const folds = groups.filter(isFolded);
  return (
    <>
      {groups
        .filter((group) => !isFolded(group))
        .map(({ name, keys }) => (
          <section key={name} aria-label={t(`settings.group.${name}`)}>
            <GroupHead name={name} />
            {above[name]}
            <SettingRows keys={keys} entries={entries} />
          </section>
        ))}
      {children}
      {folds.length === 0 ? null : (
        <div>
          <SectionHead title={t('settings.more')} />
          <div className="card rows folds">
            {folds.map(({ name, keys }) => (
              <section key={name} aria-label={t(`settings.group.${name}`)}>
                <details>
                  <summary>
                    <span className="m5">{t(`settings.group.${name}`)}</span>{' '}
                    <FoldCount keys={keys} entries={entries} />
                    <span className="sm t3 block">{t(`settings.groupAbout.${name}`)}</span>
                  </summary>
                  <Rows keys={keys} entries={entries} />
                </details>
              </section>
            ))}
          </div>
        </div>
      )}
    </>
  );
}
