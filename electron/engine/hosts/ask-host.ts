import type { FarAddress } from '../../../shared/ssh-address';
import type { Clock } from '../../ports/clock';
import type { FarCommand, FarEnd, RunFar } from '../../ports/far-hosts';
import { judgeTold, type FarTold } from './plan-ask';

/** Characters that are read of one answer. */
const MOST_TOLD_CHARS = 2_000_000;
/** How long a host may take for a list. */
const LIST_MS = 20_000;

export interface AskDeps {
  readonly clock: Clock;
  readonly runFar: RunFar;
}

/** A host, as far as it can be asked. */
export interface Asked {
  readonly name: string;
  readonly address: FarAddress;
  /** What it is asked now, one question of a kind at a time; ended with the host. */
  readonly questions: Map<string, FarCommand>;
}

/** One command there, its output and how it ended; bounded in both. */
export async function askThere(
  { clock, runFar }: AskDeps,
  { address }: Pick<Asked, 'address'>,
  args: readonly string[],
  limitMs: number,
  onStart: (command: FarCommand) => void = () => undefined,
): Promise<{ readonly told: string; readonly end: FarEnd & { readonly isLate: boolean } }> {
  let told = '';
  let isLate = false;
  let isTooMuch = false;
  const over = new AbortController();
  const command = runFar(address, args, (line) => {
    told += `${line}\n`;
    if (told.length <= MOST_TOLD_CHARS) return;
    isTooMuch = true;
    command.end();
  });
  onStart(command);
  void clock.sleep(limitMs, over.signal).then(
    () => {
      isLate = true;
      command.end();
    },
    () => undefined,
  );
  const end = await command.ended;
  over.abort();
  const fault = isTooMuch ? ('too_much' as const) : end.fault;
  return { told, end: { ...end, isLate, ...(fault === undefined ? {} : { fault }) } };
}

/**
 * Asks a host for a list. A newer question of the same kind ends an older one: whoever asked that no longer waits.
 * Never throws: what went wrong is a sentence. HO-02
 */
export async function askList(
  deps: AskDeps,
  host: Asked,
  kind: string,
  args: readonly string[],
): Promise<FarTold> {
  host.questions.get(kind)?.end();
  let own: FarCommand | undefined;
  const { told, end } = await askThere(deps, host, args, LIST_MS, (command) => {
    own = command;
    host.questions.set(kind, command);
  });
  if (host.questions.get(kind) !== own)
    return { kind: 'untold', why: 'Another question took its place.' };
  host.questions.delete(kind);
  return judgeTold(host.name, end, told);
}
