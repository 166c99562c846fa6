import { z } from 'zod';
import { readAsks } from '../../../shared/far-asks';
import type { HostQuestion } from '../../../shared/host-question';
import { LINK_BEAT_MS, LINK_PROTOCOL, linkHello, linkLine } from '../../../shared/host-link';
import { parsedJson } from '../../../shared/parsed-json';
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
  type AskedHost,
  type LinkedHost,
} from './ask-host';
import { judgeAnswered, judgeBefore } from './plan-answer';
import type { FarTold } from './plan-ask';
import { judgeLinkEnd, judgeVersion, plainLine, planPause } from './plan-link';

interface HostLinksDeps extends AskDeps {
  readonly log: Log;
  /** Version of this Holdfast. */
  readonly version: string;
  /** Current hosts and their addresses, by name. */
  readonly addresses: () => Readonly<Record<string, string>>;
  readonly onChange: () => void;
  /** The pending questions of a host have changed. */
  readonly onAsks: () => void;
  /** A session on this host has news. */
  readonly onNews: (name: string) => void;
}

/** Keeps one lasting connection to each configured host. HO-02 */
export interface HostLinks {
  /** State of each host, by name. */
  views(): readonly HostView[];
  /** What needs a decision on each host. Unknown for a host without a connection. */
  inbox(): readonly HostInbox[];
  /**
   * Answers a pending question on a host. Sent once; a second answer to the same question is
   * rejected while the first is pending. @throws HOST_UNKNOWN
   */
  answer(name: string, decision: FarDecision): Promise<FarOutcome>;
  /**
   * Asks a host. A newer question on the same subject ends the older one; a host without a
   * connection is not asked.
   * @throws HOST_UNKNOWN
   */
  ask(name: string, question: HostQuestion): Promise<FarTold>;
  /** Connects to hosts that are new or have moved, and disconnects from removed ones. */
  follow(): void;
  /** Ends every connection. Nothing changes on the hosts. */
  stop(): void;
}

/** Timeout for the greeting, and for silence after it. */
const HELLO_MS = 25_000;
const SILENCE_MS = LINK_BEAT_MS * 2.5;
/** Lines that a shell may say before the greeting. */
const MAX_GREETING_LINES = 200;
/** How long a host may take for an answer. */
const ANSWER_MS = 30_000;

const farStatus = z.object({ version: z.string().max(40) });

interface Kept extends AskedHost {
  readonly text: string;
  readonly over: AbortController;
  view: HostView;
  waiting: HostInbox['waiting'];
  tells: boolean | undefined;
  /** Set while the host is connected and answers questions over this connection. */
  linked: LinkedHost | undefined;
  /** Request hashes of answers that are being sent. */
  readonly answering: Set<string>;
  /** The running connection command; ended with the host. */
  running: FarCommand | undefined;
}

/** One connection attempt, from the start of `ssh` to its end. */
interface Attempt {
  hello: { readonly version: string } | undefined;
  isForeign: boolean;
  connectedAtMs: number | undefined;
  heardAtMs: number;
  isSilent: boolean;
  linesBefore: number;
}

/** Creates the links; the first call of `follow` opens them. */
export function createHostLinks(deps: HostLinksDeps): HostLinks {
  const { clock } = deps;
  const hosts = new Map<string, Kept>();

  const show = (host: Kept, view: HostView): void => {
    if (host.over.signal.aborted) return;
    const isOther = host.view.kind !== view.kind;
    if (isOther) deps.log.info('hosts.link', { host: host.name, state: view.kind });
    host.view = view;
    // Without a connection its questions may have been answered by now, so they are no longer shown
    // as pending.
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

/** Retrying cannot fix a bad address; only a new address does. */
const badAddress = (nowMs: number) => ({
  sinceMs: nowMs,
  why: 'ssh cannot use this address.',
  nextTryAtMs: nowMs,
});

type Show = (host: Kept, view: HostView) => void;

/** Reconnects until the host is removed. */
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

type LinkEnd =
  | { readonly kind: 'unreachable'; readonly why: string }
  | { readonly kind: 'other_version'; readonly theirs: string };

/** One connection, from its start to the verdict on its end. */
async function linkOnce(
  deps: HostLinksDeps,
  host: Kept,
  attempt: Attempt,
  show: Show,
): Promise<LinkEnd> {
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

/** Ends a silent connection: a network can disappear without an error. */
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
  const value = parsedJson(line);
  if (attempt.hello === undefined) {
    const hello = linkHello().safeParse(value);
    attempt.linesBefore += 1;
    if (!hello.success) {
      // A login shell may print a greeting first; more than this is not a greeting.
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
    // Until its first state arrives the host is not connected, and nothing of it is shown.
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

/**
 * Sends one answer per question at a time. The host would reject a second one, and it would be
 * unclear which of the two counted.
 */
async function answerOnce(
  deps: HostLinksDeps,
  host: Kept,
  decision: FarDecision,
): Promise<FarOutcome> {
  const { answering, name } = host;
  const { requestHash } = decision;
  if (answering.has(requestHash))
    return { outcome: 'not_counted', why: 'Nothing was sent: another answer to it is being sent.' };
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

/**
 * The question is answered. The list from the host, which arrives a moment later, no longer
 * contains it.
 */
function forget(deps: HostLinksDeps, host: Kept, requestHash: string): void {
  if (host.waiting === undefined) return;
  const asks = host.waiting.asks.filter((ask) => ask.requestHash !== requestHash);
  host.waiting = { ...host.waiting, asks };
  deps.onAsks();
}

/** An older Holdfast has no links, but has always had a version command. */
async function askVersion(deps: HostLinksDeps, host: Kept): Promise<string | undefined> {
  const { told } = await askThere(deps, host, ['status', '--json'], HELLO_MS, (command) => {
    host.running = command;
  });
  host.running = undefined;
  const read = farStatus.safeParse(parsedJson(told));
  return read.success ? plainLine(read.data.version) : undefined;
}
