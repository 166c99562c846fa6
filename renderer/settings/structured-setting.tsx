/** The frame of a setting that is edited in rows: its label and its sentence, the rows below. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import type { Trouble } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { isOverridden } from './settings-view';
import { SettingTitle } from './setting-title';

export function StructuredSetting({
  entry,
  title,
  about,
  trouble,
  children,
}: {
  readonly entry: ConfigEntry;
  readonly title: string;
  readonly about: ReactNode;
  readonly trouble: Trouble | undefined;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <li className="aligned flex-wrap setting" data-setting={entry.key}>
      <div className="grow">
        <SettingTitle title={title} entry={entry} />
        <div className="sm t3">{about}</div>
        {isOverridden(entry) ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
      </div>
      <div className="stack per-skill">
        {children}
        <TroubleNote trouble={trouble} />
      </div>
    </li>
  );
}

/** Takes one row out. */
export function RemoveRow({
  label,
  isDisabled,
  onRemove,
}: {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onRemove: () => void;
}): ReactElement {
  return (
    <Tooltip label={t('perSkill.remove')}>
      <ActionIcon
        variant="subtle"
        size={26}
        disabled={isDisabled}
        aria-label={label}
        onClick={onRemove}
      >
        <X className="icon small" />
      </ActionIcon>
    </Tooltip>
  );
}

/** Adds a row: its fields, and the button behind them. */
export function AddRow({
  label = t('perSkill.add'),
  isBusy,
  isDisabled,
  isReady,
  onAdd,
  children,
}: {
  readonly label?: string;
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly isReady: boolean;
  readonly onAdd: () => Promise<void>;
  readonly children: ReactNode;
}): ReactElement {
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !isBusy) void onAdd();
  };
  return (
    <form className="flex flex-wrap per-skill-row" onSubmit={add}>
      {children}
      <Button
        type="submit"
        size="xs"
        loading={isBusy}
        disabled={isDisabled || !isReady}
        leftSection={<Plus className="icon small" />}
      >
        {label}
      </Button>
    </form>
  );
}
