/** Hosts that cannot be reached: many of them are one line, which opens to all. HO-02 */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';
import './hosts.css';

export const AwayHosts = ({
  lines,
  missing,
}: {
  /** The sentences of each. */
  lines: readonly { readonly host: string; readonly notes: readonly string[] }[];
  /** What is therefore not known on this page, in a sentence. */
  missing: string;
}): ReactElement | null =>
  lines.length === 0 ? null : (
    <details className="far-away sm t2">
      <summary>
        {t('hosts.away', { count: lines.length })} {missing}
      </summary>
      <ul className="far-notes" aria-label={t('hosts.away', { count: lines.length })}>
        {lines.map(({ host, notes }) => (
          <li key={host}>
            <span>
              <Inert text={notes.join(' ')} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
