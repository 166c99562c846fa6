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

/** A pending question. Ending it changes nothing on the host. */
type Question = Pick<FarCommand, 'end'>;

/** A host that can be asked. */
export interface AskedHost {
  readonly name: string;
  readonly address: FarAddress;
  /** Pending questions by subject, at most one each. They end with the host. */
  readonly questions: Map<string, Question>;
}

/** A host that answers over its lasting connection. */
export interface LinkedHost {
  readonly command: Pick<FarCommand, 'say'>;
  /** Pending questions by number, each with the function that gets the outcome. */
  readonly waiting: Map<number, (told: FarTold) => void>;
  /**
   * Number of questions so far. A number is never reused, because a late answer to an abandoned
   * question may still arrive.
   */
  asked: number;
}

export const linkedBy = (command: LinkedHost['command']): LinkedHost => ({
  command,
  waiting: new Map(),
  asked: 0,
});

/** Runs one command on the host, with bounded output and time. */
export async function askThere(
  { clock, runFar }: AskDeps,
  { address }: Pick<AskedHost, 'address'>,
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
 * Asks a host over its lasting connection, or over a separate one if its version cannot answer
 * there. A newer question on the same subject ends the older one, whose asker no longer waits.
 * Never throws: an error is returned as a sentence. HO-02
 */
export async function askHost(
  deps: AskDeps,
  host: AskedHost,
  linked: LinkedHost | undefined,
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
    return { kind: 'untold', why: 'A newer question replaced it.' };
  host.questions.delete(subject);
  return told;
}

async function askByCommand(
  deps: AskDeps,
  host: AskedHost,
  question: HostQuestion,
  onStart: (started: Question) => void,
): Promise<FarTold> {
  const { told, end } = await askThere(deps, host, questionCommand(question), LIST_MS, onStart);
  return judgeTold(host.name, end, told);
}

async function askOverLink(
  { clock }: AskDeps,
  { name }: AskedHost,
  linked: LinkedHost,
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

/** Takes an answer. Answers to abandoned questions are ignored. */
export function takeAnswer(
  linked: LinkedHost,
  { number, value }: { readonly number: number; readonly value?: unknown },
): void {
  linked.waiting.get(number)?.(judgeValue(value));
}

/** The connection is gone: its pending questions get no answer. */
export function endLinked(name: string, linked: LinkedHost): void {
  for (const tell of linked.waiting.values()) tell(noWord(name));
}
