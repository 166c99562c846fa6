/** The label of a setting, and on the same line its key and where its value comes from. */
import type { ReactElement } from 'react';
import type { ConfigEntry } from '../../shared/types';
import { SourceTag } from '../parts/texts';

export function SettingTitle({
  title,
  entry,
  isQuiet = false,
}: {
  readonly title: string;
  readonly entry: Pick<ConfigEntry, 'key' | 'source'>;
  /** Holdfast's own note, which few people look at. */
  readonly isQuiet?: boolean;
}): ReactElement {
  return (
    <div className="setting-title">
      <span className={isQuiet ? 't2' : 'm5'}>{title}</span>{' '}
      <span className="mono t3 setting-key" title={entry.key}>
        {entry.key}
      </span>{' '}
      <SourceTag source={entry.source} />
    </div>
  );
}
