import type { ReactElement } from 'react';
import { useVerb } from '../bridge';
import { CommandLine, TroubleNote } from '../parts/texts';
import { watchCommand } from './found-view';

/** The command for a terminal, as it works on this computer. */
export function WatchCommand(): ReactElement | null {
  const info = useVerb('app.info', {});
  if (info.data === undefined) return <TroubleNote trouble={info.trouble} />;
  return <CommandLine command={watchCommand(info.data.terminal)} />;
}
