/** The label of a setting, and on the same line its key and the source of its value. */
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
  /** A value that Holdfast records for itself, which few users look at. */
  readonly isQuiet?: boolean;
}): ReactElement {
  return (
    <div className="setting-title">
      <span className={isQuiet ? 't2' : 'm5'}>{title}</span>{' '}
      <span className="ellipsis mono t3 setting-key" title={entry.key}>
        {entry.key}
      </span>{' '}
      <SourceTag source={entry.source} />
    </div>
  );
}
