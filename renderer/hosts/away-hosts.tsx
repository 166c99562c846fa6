/** Unreachable hosts: if there are many, one line that opens to show all. HO-02 */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';
import './hosts.css';

export const AwayHosts = ({
  lines,
  missing,
}: {
  /** The sentences about each. */
  lines: readonly { readonly host: string; readonly notes: readonly string[] }[];
  /** What is unknown on this page because of them, in a sentence. */
  missing: string;
}): ReactElement | null =>
  lines.length === 0 ? null : (
    <details className="far-away sm t2">
      <summary>
        {t('hosts.away', { count: lines.length })} {missing}
      </summary>
      <ul className="stack far-notes" aria-label={t('hosts.away', { count: lines.length })}>
        {lines.map(({ host, notes }) => (
          <li key={host}>
            <Inert as="span" text={notes.join(' ')} />
          </li>
        ))}
      </ul>
    </details>
  );
