/** Where the program of an agent is on this computer, and which version of it. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';

export function ProgramFact({
  path,
  version,
}: {
  /** Undefined if it was searched for and not found. */
  readonly path: string | undefined;
  readonly version: string | undefined;
}): ReactElement {
  return (
    <>
      <dt>{t('found.program')}</dt>
      {path === undefined ? (
        <dd className="ink-attention">{t('agents.programGone')}</dd>
      ) : (
        <dd>
          <Inert className="mono" text={path} />{' '}
          {version === undefined ? null : <Inert className="t3" text={version} />}
        </dd>
      )}
    </>
  );
}
