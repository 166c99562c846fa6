import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { CommandLine, Inert } from '../parts/texts';
import { installHint } from './found-view';

/** What must be done before an agent can be used here, and afterward. */
export function InstallNote({ missing, next }: { missing: string; next: string }): ReactElement {
  const { sentence, command } = installHint(missing);
  return (
    <>
      <strong className="m5">{t('found.missing')}</strong> <Inert text={sentence} />{' '}
      {command === undefined ? null : (
        <>
          <CommandLine command={command} />{' '}
        </>
      )}
      {next}
    </>
  );
}
