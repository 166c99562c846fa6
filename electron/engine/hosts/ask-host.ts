import { questionCommand, subjectOf, type HostQuestion } from '../../../shared/host-question';
import type { FarAddress } from '../../../shared/ssh-address';
import type { Clock } from '../../ports/clock';
import type { FarCommand, FarEnd, RunFar } from '../../ports/far-hosts';
import { judgeTold, judgeValue, noWord, whyNoWord, type FarTold } from './plan-ask';

/** Characters that are read of one answer. */
const MAX_TOLD_CHARS = 2_000_000;
/** How long a host may take for a list. */
const LIST_MS = 20_000;

export interface AskDeps {
  readonly clock: Clock;
  readonly runFar: RunFar;
}

/** A question that is on its way; it can be ended here, and nothing changes there. */
type Question = Pick<FarCommand, 'end'>;

/** A host, as far as it can be asked. */
export interface Asked {
  readonly name: string;
  readonly address: FarAddress;
  /** What it is asked now, one question of a subject at a time; ended with the host. */
  readonly questions: Map<string, Question>;
}

/** One that answers over the connection that is kept to it. */
export interface Linked {
  readonly command: Pick<FarCommand, 'say'>;
  /** What waits for its answer, by number; each is told what came of it. */
  readonly waiting: Map<number, (told: FarTold) => void>;
  /** Questions so far: no number is used twice, as the answer to one that was given up may still come. */
  asked: number;
}

export const linkedBy = (command: Linked['command']): Linked => ({
  command,
  waiting: new Map(),
  asked: 0,
});

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
    if (told.length <= MAX_TOLD_CHARS) return;
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
 * Asks a host: over the connection that is kept to it, or, where its version does not answer there, over one for this
 * question alone. A newer question of the same subject ends an older one: whoever asked that no longer waits.
 * Never throws: what went wrong is a sentence. HO-02
 */
export async function askHost(
  deps: AskDeps,
  host: Asked,
  linked: Linked | undefined,
  question: HostQuestion,
): Promise<FarTold> {
  const subject = subjectOf(question);
  host.questions.get(subject)?.end();
  let own: Question | undefined;
  const onStart = (started: Question): void => {
    own = started;
    host.questions.set(subject, started);
  };
  const told = await (linked === undefined
    ? askByCommand(deps, host, question, onStart)
    : askOverLink(deps, host, linked, question, onStart));
  if (host.questions.get(subject) !== own)
    return { kind: 'untold', why: 'Another question took its place.' };
  host.questions.delete(subject);
  return told;
}

async function askByCommand(
  deps: AskDeps,
  host: Asked,
  question: HostQuestion,
  onStart: (started: Question) => void,
): Promise<FarTold> {
  const { told, end } = await askThere(deps, host, questionCommand(question), LIST_MS, onStart);
  return judgeTold(host.name, end, told);
}

async function askOverLink(
  { clock }: AskDeps,
  { name }: Asked,
  linked: Linked,
  question: HostQuestion,
  onStart: (started: Question) => void,
): Promise<FarTold> {
  const { command, waiting } = linked;
  linked.asked += 1;
  const number = linked.asked;
  const over = new AbortController();
  try {
    return await new Promise<FarTold>((resolve) => {
      waiting.set(number, resolve);
      onStart({
        end: () => {
          resolve(noWord(name));
        },
      });
      void clock.sleep(LIST_MS, over.signal).then(
        () => {
          const late = { code: null, lastWords: '', isLate: true };
          resolve({ kind: 'untold', why: whyNoWord(name, late).why });
        },
        () => undefined,
      );
      command.say(JSON.stringify({ question: { number, ...question } }));
    });
  } finally {
    over.abort();
    waiting.delete(number);
  }
}

/** Takes an answer; one that nobody waits for any more is passed over. */
export function takeAnswer(
  linked: Linked,
  { number, value }: { readonly number: number; readonly value?: unknown },
): void {
  linked.waiting.get(number)?.(judgeValue(value));
}

/** The connection is gone: nothing that was asked over it is answered. */
export function endLinked(name: string, linked: Linked): void {
  for (const tell of linked.waiting.values()) tell(noWord(name));
}
