import { z } from 'zod';
import { readAsks } from '../../../shared/far-asks';
import type { HostQuestion } from '../../../shared/host-question';
import { LINK_BEAT_MS, LINK_PROTOCOL, linkHello, linkLine } from '../../../shared/host-link';
import { parseAddress } from '../../../shared/ssh-address';
import type { FarDecision, FarOutcome, HostInbox, HostView } from '../../../shared/types';
import type { Clock } from '../../ports/clock';
import type { FarCommand } from '../../ports/far-hosts';
import type { Log } from '../../ports/log';
import { HoldfastError } from '../kernel/errors';
import {
  askHost,
  askThere,
  endLinked,
  linkedBy,
  takeAnswer,
  type AskDeps,
  type Asked,
  type Linked,
} from './ask-host';
import { judgeAnswered, judgeBefore } from './plan-answer';
import { readJson, type FarTold } from './plan-ask';
import { judgeLinkEnd, judgeVersion, plainLine, planPause } from './plan-link';

interface HostLinksDeps extends AskDeps {
  readonly log: Log;
  /** Of this Holdfast. */
  readonly version: string;
  /** The hosts by name, as they are set now. */
  readonly addresses: () => Readonly<Record<string, string>>;
  readonly onChange: () => void;
  /** What waits on one of them is another list. */
  readonly onAsks: () => void;
  /** Something went on in a session of this one. */
  readonly onNews: (name: string) => void;
}

/** One lasting connection to each host that is set. HO-02 */
export interface HostLinks {
  /** How each host is, by name. */
  views(): readonly HostView[];
  /** What waits for a decision on each; of a host without a connection nothing is known. */
  inbox(): readonly HostInbox[];
  /** Sends an answer to what waits on one of them: once, and never a second beside it. @throws HOST_UNKNOWN */
  answer(name: string, decision: FarDecision): Promise<FarOutcome>;
  /**
   * Asks one of them. A newer question of the same subject ends an older one; one without a connection is not asked.
   * @throws HOST_UNKNOWN
   */
  ask(name: string, question: HostQuestion): Promise<FarTold>;
  /** Takes up hosts that are new or have moved, and leaves those that are gone. */
  follow(): void;
  /** Ends every connection; nothing changes on the hosts. */
  stop(): void;
}

/** How long a host may take to greet, and how long it may then say nothing. */
const HELLO_MS = 25_000;
const SILENCE_MS = LINK_BEAT_MS * 2.5;
/** Lines that a shell may say before the greeting. */
const MAX_GREETING_LINES = 200;
/** How long a host may take for an answer. */
const ANSWER_MS = 30_000;

const farStatus = z.object({ version: z.string().max(40) });

interface Kept extends Asked {
  readonly text: string;
  readonly over: AbortController;
  view: HostView;
  waiting: HostInbox['waiting'];
  tells: boolean | undefined;
  /** While it is connected and answers what it is asked over that connection. */
  linked: Linked | undefined;
  /** Hashes of what is being answered. */
  readonly answering: Set<string>;
  /** What runs there now; ended with the host. */
  running: FarCommand | undefined;
}

/** One try, from the start of `ssh` to its end. */
interface Attempt {
  hello: { readonly version: string } | undefined;
  isForeign: boolean;
  connectedAtMs: number | undefined;
  heardAtMs: number;
  isSilent: boolean;
  linesBefore: number;
}

/** Makes the links; the first call of `follow` opens them. */
export function createHostLinks(deps: HostLinksDeps): HostLinks {
  const { clock } = deps;
  const hosts = new Map<string, Kept>();

  const show = (host: Kept, view: HostView): void => {
    if (host.over.signal.aborted) return;
    const isOther = host.view.kind !== view.kind;
    if (isOther) deps.log.info('hosts.link', { host: host.name, state: view.kind });
    host.view = view;
    // Without a connection it may be answered by now: it is not shown as if it still waited.
    if (view.kind !== 'connected') [host.waiting, host.tells] = [undefined, undefined];
    deps.onChange();
    if (isOther) deps.onAsks();
  };

  const leave = (host: Kept): void => {
    hosts.delete(host.name);
    host.over.abort();
    host.running?.end();
    for (const question of host.questions.values()) question.end();
  };

  const known = (name: string): Kept => {
    const host = hosts.get(name);
    if (host !== undefined) return host;
    throw new HoldfastError('HOST_UNKNOWN', `There is no host ${plainLine(name)}.`, {
      hint: 'Nothing was sent.',
    });
  };

  const take = (name: string, text: string): void => {
    const address = parseAddress(text);
    const over = new AbortController();
    const view: HostView =
      address === undefined
        ? { kind: 'unreachable', name, ...badAddress(clock.nowMs()) }
        : { kind: 'connecting', name };
    const host = { name, text, address: address ?? { destination: '' }, over, view };
    const nothing = { waiting: undefined, tells: undefined, linked: undefined, running: undefined };
    const kept: Kept = { ...host, ...nothing, answering: new Set(), questions: new Map() };
    hosts.set(name, kept);
    if (address !== undefined) void keepLinked(deps, kept, show);
  };

  const sorted = (): readonly Kept[] =>
    [...hosts.values()].toSorted((one, other) => one.name.localeCompare(other.name));
  return {
    views: () => sorted().map(({ view }) => view),
    inbox: () =>
      sorted().map(({ name, waiting, tells }) => ({
        name,
        ...(waiting === undefined ? {} : { waiting }),
        ...(tells === undefined ? {} : { tells }),
      })),
    answer: (name, decision) => answerOnce(deps, known(name), decision),
    ask(name, question) {
      const host = known(name);
      if (host.view.kind === 'connected') return askHost(deps, host, host.linked, question);
      return Promise.resolve({ kind: 'untold', why: `There is no connection to ${name} now.` });
    },
    follow() {
      const wanted = deps.addresses();
      for (const host of hosts.values()) if (wanted[host.name] !== host.text) leave(host);
      for (const [name, text] of Object.entries(wanted)) if (!hosts.has(name)) take(name, text);
      deps.onChange();
      deps.onAsks();
    },
    stop() {
      for (const host of hosts.values()) leave(host);
    },
  };
}

/** No pause leads out of it: only another address does. */
const badAddress = (nowMs: number) => ({
  sinceMs: nowMs,
  why: 'Its address is none that ssh can take.',
  nextTryAtMs: nowMs,
});

type Show = (host: Kept, view: HostView) => void;

/** Connects again and again, until the host is left. */
async function keepLinked(deps: HostLinksDeps, host: Kept, show: Show): Promise<void> {
  const { clock } = deps;
  const { name, over } = host;
  let tries = 0;
  let failedSinceMs: number | undefined;
  while (!over.signal.aborted) {
    const attempt = newAttempt(clock.monotonicMs());
    const verdict = await linkOnce(deps, host, attempt, show);
    if (over.signal.aborted) return;
    const nowMs = clock.nowMs();
    const { connectedAtMs } = attempt;
    if (connectedAtMs !== undefined) failedSinceMs = undefined;
    failedSinceMs ??= nowMs;
    const isOtherVersion = verdict.kind === 'other_version';
    const connectedMs = connectedAtMs === undefined ? 0 : clock.monotonicMs() - connectedAtMs;
    const plan = planPause({ tries, connectedMs, isOtherVersion });
    ({ tries } = plan);
    const when = { sinceMs: failedSinceMs, nextTryAtMs: nowMs + plan.pauseMs };
    show(host, { name, ...verdict, ...when });
    await clock.sleep(plan.pauseMs, over.signal).catch(() => undefined);
    const why =
      verdict.kind === 'other_version' ? `It has another version, ${verdict.theirs}.` : verdict.why;
    show(host, { kind: 'connecting', name, failed: { sinceMs: failedSinceMs, why } });
  }
}

const newAttempt = (nowMs: number): Attempt => ({
  hello: undefined,
  isForeign: false,
  connectedAtMs: undefined,
  heardAtMs: nowMs,
  isSilent: false,
  linesBefore: 0,
});

type Verdict =
  | { readonly kind: 'unreachable'; readonly why: string }
  | { readonly kind: 'other_version'; readonly theirs: string };

/** One connection, from its start to what its end says. */
async function linkOnce(
  deps: HostLinksDeps,
  host: Kept,
  attempt: Attempt,
  show: Show,
): Promise<Verdict> {
  const { clock } = deps;
  const command = deps.runFar(host.address, ['hosts', 'link'], (line) => {
    attempt.heardAtMs = clock.monotonicMs();
    hear(deps, host, attempt, line, show);
    if (attempt.isForeign) command.end();
  });
  host.running = command;
  const over = new AbortController();
  void watchSilence(clock, attempt, command, over.signal);
  const end = await command.ended;
  over.abort();
  host.running = undefined;
  if (host.linked !== undefined) endLinked(host.name, host.linked);
  host.linked = undefined;
  const { hello, isForeign, isSilent } = attempt;
  if (hello !== undefined && isForeign)
    return { kind: 'other_version', theirs: plainLine(hello.version) };
  const had = { hello: hello !== undefined, silence: isSilent };
  const verdict: ReturnType<typeof judgeVersion> = judgeLinkEnd(end, had);
  if (verdict.kind !== 'ask' || host.over.signal.aborted)
    return verdict.kind === 'ask' ? { ...verdict, kind: 'unreachable' } : verdict;
  const theirs = await askVersion(deps, host);
  const told = judgeVersion(verdict.why, { theirs, ours: deps.version });
  return told.kind === 'ask' ? { ...told, kind: 'unreachable' } : told;
}

/** Ends a connection over which nothing comes any more: the network may be gone without a word. */
async function watchSilence(
  clock: Clock,
  attempt: Attempt,
  command: FarCommand,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const limitMs = attempt.hello === undefined ? HELLO_MS : SILENCE_MS;
    const leftMs = attempt.heardAtMs + limitMs - clock.monotonicMs();
    if (leftMs <= 0) {
      attempt.isSilent = true;
      command.end();
      return;
    }
    await clock.sleep(leftMs, over).catch(() => undefined);
  }
}

function hear(deps: HostLinksDeps, host: Kept, attempt: Attempt, line: string, show: Show): void {
  const value = readJson(line);
  if (attempt.hello === undefined) {
    const hello = linkHello().safeParse(value);
    attempt.linesBefore += 1;
    if (!hello.success) {
      // What a shell says before is none of ours; that much is no shell's greeting.
      if (attempt.linesBefore > MAX_GREETING_LINES) host.running?.end();
      return;
    }
    const { link, version } = hello.data.holdfast;
    attempt.hello = { version };
    attempt.isForeign = !link.includes(LINK_PROTOCOL);
    const tells = new Set(hello.data.holdfast.tells);
    host.tells = tells.has('asks');
    if (tells.has('answers') && host.running !== undefined) host.linked = linkedBy(host.running);
    return;
  }
  const told = linkLine().safeParse(value);
  if (attempt.isForeign || !told.success) return;
  const { clock } = deps;
  if ('news' in told.data) {
    if (host.view.kind === 'connected') deps.onNews(host.name);
    return;
  }
  if ('answer' in told.data) {
    if (host.linked !== undefined) takeAnswer(host.linked, told.data.answer);
    return;
  }
  if ('asks' in told.data) {
    // Before its state it is not connected, and nothing of it is shown.
    if (host.view.kind !== 'connected') return;
    host.waiting = readAsks(told.data.asks);
    host.tells = host.waiting !== undefined;
    deps.onAsks();
    return;
  }
  attempt.connectedAtMs ??= clock.monotonicMs();
  const before =
    host.view.kind === 'connected'
      ? host.view
      : {
          kind: 'connected' as const,
          name: host.name,
          sinceMs: clock.nowMs(),
          phase: 'unknown' as const,
          needsYou: 0,
          running: 0,
        };
  const version = plainLine(attempt.hello.version);
  if ('state' in told.data) {
    const { problem: _, ...rest } = { problem: '', ...before };
    show(host, { ...rest, version, ...told.data.state });
  } else show(host, { ...before, version, problem: plainLine(told.data.problem) });
}

/** One answer to one question at a time: of two, the host would refuse the second, and nobody knew which. */
async function answerOnce(
  deps: HostLinksDeps,
  host: Kept,
  decision: FarDecision,
): Promise<FarOutcome> {
  const { answering, name } = host;
  const { requestHash } = decision;
  if (answering.has(requestHash))
    return { outcome: 'not_counted', why: 'Nothing was sent: another answer to it is on its way.' };
  const early = judgeBefore(name, host, decision);
  if (early !== undefined) return early;
  answering.add(requestHash);
  try {
    const args = ['hosts', 'answer', JSON.stringify(decision), '--json'];
    const { told, end } = await askThere(deps, host, args, ANSWER_MS);
    const outcome = judgeAnswered(name, end, told);
    deps.log.info('hosts.answer', { host: name, outcome: outcome.outcome });
    if (outcome.outcome === 'counted') forget(deps, host, requestHash);
    return outcome;
  } finally {
    answering.delete(requestHash);
  }
}

/** It is answered: the list of the host, which comes a moment later, has it no more. */
function forget(deps: HostLinksDeps, host: Kept, requestHash: string): void {
  if (host.waiting === undefined) return;
  const asks = host.waiting.asks.filter((ask) => ask.requestHash !== requestHash);
  host.waiting = { ...host.waiting, asks };
  deps.onAsks();
}

/** An older Holdfast knows no links, and has always told its version. */
async function askVersion(deps: HostLinksDeps, host: Kept): Promise<string | undefined> {
  const { told } = await askThere(deps, host, ['status', '--json'], HELLO_MS, (command) => {
    host.running = command;
  });
  host.running = undefined;
  const read = farStatus.safeParse(readJson(told));
  return read.success ? plainLine(read.data.version) : undefined;
}
