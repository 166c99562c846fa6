import type { ApprovalView } from '../../../shared/model';
import type { Blobs, Hasher } from '../../ports/blobs';
import type { Clock } from '../../ports/clock';
import type { Journal, JournalEntry, JournalReads, TurnRow } from '../../ports/journal';
import type { RequestFacts, RequestRow, RequestScope } from '../../ports/journal-approvals';
import type { Audit } from '../../ports/log';
import { INLINE_CHARS } from '../journal/memo-keys';
import { showText } from '../journal/show-text';
import { textOf } from '../journal/stored-text';
import { canonicalJson } from '../kernel/canonical';
import type { CrashPoints } from '../kernel/crash-points';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import { createOneByOne } from '../kernel/one-by-one';
import { judgeCall, type ApprovalRules, type CallFacts, type Verdict } from './judge-call';

/** So much of an input or a note is shown and kept with the row. */
const SHOWN_CHARS = 4_000;
const START_CHARS = 2_000;
/** Longest name of a rule in the settings. */
const MAX_RULE_CHARS = 200;

interface ApprovalsDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly blobs: Blobs;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly rules: () => ApprovalRules;
  /** Makes leave a rule of the settings, too: for `always`. */
  readonly setRule: (what: string, rule: 'allow') => Promise<void>;
  /** The turn may go on: nobody runs it and it waits for nothing more. */
  readonly onQueued: (turn: TurnRow) => void;
}

/** A call that has to wait, with everything that a person must see. */
export interface NewRequest {
  readonly turn: Pick<TurnRow, 'id' | 'sessionId' | 'promptStart'>;
  readonly request: RequestFacts['request'];
  readonly tool: string;
  readonly inputKey: string;
  readonly call?: RequestFacts['call'];
  /** JSON. */
  readonly input: string;
  readonly hint: string;
  readonly reason: string;
  readonly grant: string;
}

/** What a person or the outside answers; `requestHash` is that of what was shown. */
type RequestReply =
  | { readonly kind: 'allow'; readonly scope: RequestScope }
  | { readonly kind: 'deny'; readonly note?: string }
  | { readonly kind: 'result'; readonly output: string };

/**
 * Leave to make calls, and results of custom tools. A question is on disk with its exact input
 * before anything waits for it, its answer is on disk before anything happens, and both survive
 * any death of the process; waiting costs nothing. Source: S3-05..S3-11.
 */
export interface Approvals {
  judge(sessionId: number, facts: CallFacts): Verdict;
  /** The newest question about this call of a turn. */
  ofCall(
    turnId: number,
    call: { readonly step: number; readonly part: number },
  ): RequestRow | undefined;
  /**
   * The entries that open a question: to be committed together with the outcomes before it, so that
   * there is either the question or a turn that runs again (S3-07).
   */
  opening(
    request: NewRequest,
  ): Promise<{ readonly requestId: number; readonly entries: readonly JournalEntry[] }>;
  /**
   * For a run that stays alive while it waits: resolves with the answered question. `commit` puts
   * the entries on disk before anybody waits. A turn that goes on while its question is still open
   * asks the same one on, so that a person never sees it twice; one whose reason is another now
   * takes its place. @throws the reason of the signal
   */
  ask(
    request: NewRequest,
    commit: (entries: readonly JournalEntry[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<RequestRow>;
  /** The entries that end all open questions of a turn that is being closed. */
  clearing(turn: Pick<TurnRow, 'id' | 'sessionId'>, by: string): readonly JournalEntry[];
  list(filter: {
    readonly includeAnswered: boolean;
    readonly sessionId?: number;
    readonly limit: number;
  }): Promise<readonly ApprovalView[]>;
  /** @throws REQUEST_UNKNOWN */
  view(requestId: number): Promise<ApprovalView>;
  /**
   * Records an answer: on disk when it resolves. Bound to the exact request.
   * @throws REQUEST_UNKNOWN, REQUEST_ANSWERED, REQUEST_STALE, INPUT_INVALID
   */
  answer(
    requestId: number,
    requestHash: string,
    reply: RequestReply,
    by: string,
  ): Promise<ApprovalView>;
}

export function createApprovals(deps: ApprovalsDeps): Approvals {
  /** Runs that wait for an answer while they stay alive. */
  const waiters = new Map<number, (row: RequestRow) => void>();
  /** Questions that a run of this process asks: what else is open was left by a run that is over. */
  const asking = new Set<number>();
  const oneByOne = createOneByOne<number>();
  const rulesOneByOne = createOneByOne<'rules'>();

  const hashOf = (row: RequestRow): string =>
    deps.hasher.sha256Hex(
      canonicalJson({
        requestId: row.requestId,
        turnId: row.turnId,
        request: row.request,
        tool: row.tool,
        inputKey: row.inputKey,
      }),
    );

  const viewOf = async (row: RequestRow): Promise<ApprovalView> => {
    const shown = showText(await textOf(deps.blobs, row.input), SHOWN_CHARS);
    const turn = deps.reads.turn(row.turnId);
    return {
      requestId: row.requestId,
      kind: row.request,
      turnId: row.turnId,
      sessionId: row.sessionId,
      sessionKey: turn?.sessionKey ?? '',
      agent: turn?.agent ?? '',
      promptStart: turn?.promptStart ?? '',
      tool: row.tool,
      hint: showText(row.hint, 300).text,
      reason: row.reason.slice(0, 500),
      covers: row.grant.slice(0, 200),
      args: shown.text,
      isTruncated: shown.isTruncated,
      inputHash: row.inputKey,
      requestedAtMs: row.requestedAtMs,
      requestHash: hashOf(row),
      ...(row.answer === undefined ? {} : { answer: row.answer }),
      ...(row.answeredAtMs === undefined ? {} : { answeredAtMs: row.answeredAtMs }),
      ...(row.scope === undefined ? {} : { scope: row.scope }),
      ...(row.by === undefined ? {} : { by: row.by.slice(0, 64) }),
      ...(row.note === undefined ? {} : { note: showText(row.note, SHOWN_CHARS).text }),
    };
  };

  const need = (requestId: number): RequestRow => {
    const row = deps.reads.request(requestId);
    if (row === undefined) throw unknownRequest(requestId);
    return row;
  };

  const store = async (turnId: number, text: string): Promise<RequestFacts['input']> =>
    text.length <= INLINE_CHARS
      ? { kind: 'inline', text }
      : {
          kind: 'blob',
          address: await deps.blobs.put(text, turnId),
          chars: text.length,
          start: text.slice(0, START_CHARS),
        };

  const opening: Approvals['opening'] = async (request) => {
    const { turn } = request;
    const requestId = deps.journal.allocate('inbox');
    const facts: RequestFacts = {
      requestId,
      turnId: turn.id,
      sessionId: turn.sessionId,
      request: request.request,
      tool: request.tool,
      inputKey: request.inputKey,
      ...(request.call === undefined ? {} : { call: request.call }),
      input: await store(turn.id, request.input),
      hint: request.hint,
      reason: request.reason.slice(0, 500),
      grant: request.grant,
    };
    deps.crashPoints.hit('approval.request.before');
    return {
      requestId,
      entries: [
        { kind: 'approval.requested', ...facts },
        { kind: 'turn.state', turnId: turn.id, state: 'requires_action', reason: waitsFor(facts) },
        {
          kind: 'inbox.opened',
          inboxId: requestId,
          item: 'approval',
          turnId: turn.id,
          sessionId: turn.sessionId,
          title: turn.promptStart,
          detail: facts.reason,
        },
      ],
    };
  };

  const settle = (row: RequestRow): void => {
    const tell = waiters.get(row.requestId);
    waiters.delete(row.requestId);
    tell?.(row);
  };

  deps.journal.onCommitted((entries) => {
    for (const entry of entries) {
      if (entry.kind !== 'approval.answered' || !waiters.has(entry.requestId)) continue;
      const row = deps.reads.request(entry.requestId);
      if (row !== undefined) settle(row);
    }
  });

  const waitAnswer = (requestId: number, signal: AbortSignal): Promise<RequestRow> => {
    const row = need(requestId);
    if (row.answer !== undefined) return Promise.resolve(row);
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiters.delete(requestId);
        reject(signal.reason as Error);
      };
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      waiters.set(requestId, (answered) => {
        signal.removeEventListener('abort', stop);
        resolve(answered);
      });
    });
  };

  const askNew = async (
    request: NewRequest,
    commit: (entries: readonly JournalEntry[]) => Promise<void>,
    instead: RequestRow | undefined,
  ): Promise<number> => {
    const { requestId, entries } = await opening(request);
    asking.add(requestId);
    await commit([...(instead === undefined ? [] : replaced(instead)), ...entries]);
    deps.crashPoints.hit('approval.request.after');
    return requestId;
  };

  /** Wrapped, so that whoever awaits this does not wait for the answer. */
  const askOrAskOn = async (
    request: NewRequest,
    commit: (entries: readonly JournalEntry[]) => Promise<void>,
    signal: AbortSignal,
    left: RequestRow | undefined,
  ): Promise<{ readonly requestId: number; readonly answered: Promise<RequestRow> }> => {
    const open = left === undefined ? undefined : need(left.requestId);
    const isOn = open !== undefined && (open.answer !== undefined || isSameQuestion(open, request));
    if (isOn) await commit(open.answer === undefined ? [asksAgain(open)] : []);
    const requestId = isOn ? open.requestId : await askNew(request, commit, open);
    return { requestId, answered: waitAnswer(requestId, signal) };
  };

  const ask: Approvals['ask'] = async (request, commit, signal) => {
    const left = leftOpen(deps.reads, request, asking);
    const begin = () => askOrAskOn(request, commit, signal, left);
    if (left !== undefined) asking.add(left.requestId);
    let asked = left?.requestId;
    try {
      // An answer that comes now finds the question as it was left, or this run waiting for it.
      const begun = await (left === undefined ? begin() : oneByOne(left.requestId, begin));
      asked = begun.requestId;
      return await begun.answered;
    } finally {
      for (const id of [left?.requestId, asked]) if (id !== undefined) asking.delete(id);
    }
  };

  /** One after the other: each rule is added to those that are there. */
  const saveRule = (grant: string): Promise<void> =>
    rulesOneByOne('rules', () => deps.setRule(grant, 'allow')).catch((error: unknown) => {
      throw ruleNotSaved(error);
    });

  const answer: Approvals['answer'] = async (requestId, requestHash, reply, by) => {
    const row = need(requestId);
    refuseAnswered(row);
    refuseWrongKind(row, reply);
    if (hashOf(row) !== requestHash) throw staleRequest(row);
    const turn = deps.reads.turn(row.turnId);
    if (turn === undefined || turn.endedAtMs !== undefined) throw answeredAlready(row, 'cleared');
    const result = reply.kind === 'result' ? await store(row.turnId, reply.output) : undefined;
    // Stored meanwhile: another answer may have come.
    refuseAnswered(need(requestId));
    // A rule names what it is for in a line; leave for a longer command ends with the session.
    const wanted = reply.kind === 'allow' ? reply.scope : 'once';
    const scope = wanted === 'always' && row.grant.length > MAX_RULE_CHARS ? 'session' : wanted;
    deps.crashPoints.hit('approval.answer.before');
    await deps.journal.commit([
      {
        kind: 'approval.answered',
        requestId,
        turnId: row.turnId,
        sessionId: row.sessionId,
        answer: reply.kind === 'allow' ? 'allowed' : reply.kind === 'deny' ? 'denied' : 'result',
        scope,
        grant: row.grant,
        by,
        ...(reply.kind === 'deny' && reply.note !== undefined
          ? { note: reply.note.slice(0, SHOWN_CHARS) }
          : {}),
        ...(result === undefined ? {} : { result }),
      },
      ...goingOn(deps.reads, row, (other) => waiters.has(other)),
      { kind: 'inbox.settled', inboxId: requestId, outcome: OUTCOMES[reply.kind] },
    ]);
    deps.crashPoints.hit('approval.answer.after');
    deps.audit.record('approval_answered', {
      requestId,
      turnId: row.turnId,
      tool: row.tool,
      answer: reply.kind,
      by,
    });
    const after = deps.reads.turn(row.turnId);
    if (after?.state === 'queued') deps.onQueued(after);
    if (scope === 'always') await saveRule(row.grant);
    return viewOf(need(requestId));
  };

  return {
    judge: (sessionId, facts) =>
      judgeCall(facts, deps.rules(), (what) => deps.reads.isGranted(sessionId, what)),
    ofCall: (turnId, call) =>
      deps.reads
        .requestsOfTurn(turnId)
        .findLast((row) => row.call?.step === call.step && row.call.part === call.part),
    opening,
    ask,
    clearing: (turn, by) => clearing(deps.reads, turn, by),
    list: (filter) => Promise.all(deps.reads.requests(filter).map(viewOf)),
    view: (requestId) => viewOf(need(requestId)),
    // Of two that answer at the same moment the second one finds the first one's answer.
    answer: (requestId, ...given) => oneByOne(requestId, () => answer(requestId, ...given)),
  };
}

function clearing(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  turn: Pick<TurnRow, 'id' | 'sessionId'>,
  by: string,
): readonly JournalEntry[] {
  return reads
    .requestsOfTurn(turn.id)
    .filter((row) => row.answer === undefined)
    .map((row) => ({
      kind: 'approval.answered',
      requestId: row.requestId,
      turnId: turn.id,
      sessionId: turn.sessionId,
      answer: 'cleared',
      scope: 'once',
      grant: row.grant,
      by,
    }));
}

/**
 * Ends the questions that a turn leaves open when it closes, on every list: an agent of another
 * program may end its turn without waiting for an answer, and nobody could give one any more.
 */
export function questionsLeft(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  turn: Pick<TurnRow, 'id' | 'sessionId'>,
  by: string,
): readonly JournalEntry[] {
  return clearing(reads, turn, by).flatMap((entry): readonly JournalEntry[] =>
    entry.kind === 'approval.answered'
      ? [entry, { kind: 'inbox.settled', inboxId: entry.requestId, outcome: 'over' }]
      : [entry],
  );
}

/** A question of the turn about the same call that no living run asks: it was cut off while it waited. */
function leftOpen(
  reads: Pick<JournalReads, 'requestsOfTurn'>,
  request: Pick<NewRequest, 'turn' | 'request' | 'tool' | 'inputKey'>,
  asking: ReadonlySet<number>,
): RequestRow | undefined {
  return reads
    .requestsOfTurn(request.turn.id)
    .find(
      (row) =>
        row.answer === undefined &&
        row.request === request.request &&
        row.tool === request.tool &&
        row.inputKey === request.inputKey &&
        !asking.has(row.requestId),
    );
}

/** A person must read why they are asked now: what has happened meanwhile may be another reason. */
function isSameQuestion(row: RequestRow, { reason, grant }: NewRequest): boolean {
  return row.reason === reason.slice(0, 500) && row.grant === grant;
}

const asksAgain = (row: RequestRow): JournalEntry => ({
  kind: 'turn.state',
  turnId: row.turnId,
  state: 'requires_action',
  reason: waitsFor(row),
});

/** The entries that end a question in favour of one that says more. */
function replaced(row: RequestRow): readonly JournalEntry[] {
  return [
    {
      kind: 'approval.answered',
      requestId: row.requestId,
      turnId: row.turnId,
      sessionId: row.sessionId,
      answer: 'cleared',
      scope: 'once',
      grant: row.grant,
      by: 'asked anew',
    },
    { kind: 'inbox.settled', inboxId: row.requestId, outcome: 'over' },
  ];
}

const OUTCOMES = { allow: 'allowed', deny: 'denied', result: 'result given' } as const;

function waitsFor(facts: Pick<RequestFacts, 'request' | 'tool'>): string {
  const plain = facts.tool.slice(facts.tool.indexOf('.') + 1);
  return facts.request === 'approval'
    ? `${plain} waits for your approval.`
    : `${plain} waits for its result from outside.`;
}

const WAITS_FOR_MORE: ReadonlySet<string> = new Set(['held', 'parked', 'waiting']);

/**
 * With the last question answered the turn goes on: in the run that waits for it, or in a new one. A
 * turn that waits for a decision or its provider besides goes on with that, and a run that is at
 * work takes the answer when it comes to that call: the answer is kept.
 */
function goingOn(
  reads: JournalReads,
  row: RequestRow,
  isWaitedFor: (requestId: number) => boolean,
): readonly JournalEntry[] {
  const state = reads.turn(row.turnId)?.state ?? '';
  if (WAITS_FOR_MORE.has(state)) return [];
  const others = reads
    .requestsOfTurn(row.turnId)
    .filter((other) => other.requestId !== row.requestId && other.answer === undefined);
  const { turnId } = row;
  if (isWaitedFor(row.requestId)) {
    // One that an earlier run has left open holds nobody up.
    return others.some(({ requestId }) => isWaitedFor(requestId))
      ? []
      : [{ kind: 'turn.state', turnId, state: 'running', reason: '' }];
  }
  return state === 'running' || others.length > 0
    ? []
    : [{ kind: 'turn.state', turnId, state: 'queued', reason: 'Answered; goes on.' }];
}

function refuseAnswered(row: RequestRow): void {
  if (row.answer !== undefined) throw answeredAlready(row, row.answer);
}

function answeredAlready(row: RequestRow, answer: string): HoldfastError {
  return new HoldfastError(
    'REQUEST_ANSWERED',
    answer === 'cleared'
      ? `Request ${String(row.requestId)} is over: its turn does not wait for it any more.`
      : `Request ${String(row.requestId)} has its answer already: ${answer}.`,
    {
      hint: 'Nothing was changed. "holdfast approvals list" shows what waits.',
      facts: { requestId: row.requestId, turnId: row.turnId, answer },
    },
  );
}

function refuseWrongKind(row: RequestRow, reply: RequestReply): void {
  const wanted = row.request === 'custom_tool' ? 'its result' : 'yes or no';
  const fits = row.request === 'custom_tool' ? reply.kind !== 'allow' : reply.kind !== 'result';
  const isEmpty = reply.kind === 'result' && reply.output.trim() === '';
  if (fits && !isEmpty) return;
  throw new HoldfastError(
    'INPUT_INVALID',
    isEmpty
      ? `The result for request ${String(row.requestId)} is empty.`
      : `Request ${String(row.requestId)} waits for ${wanted}.`,
    { hint: 'Nothing was changed. Answer it with what it waits for.' },
  );
}

function staleRequest(row: RequestRow): HoldfastError {
  return new HoldfastError(
    'REQUEST_STALE',
    `What you answered is not request ${String(row.requestId)} as it stands.`,
    {
      hint: 'Nothing was done. Look at it again and decide then.',
      facts: { requestId: row.requestId, turnId: row.turnId },
    },
  );
}

/** The answer itself is on disk by then: nobody may read that nothing was changed. */
function ruleNotSaved(error: unknown): HoldfastError {
  const { code, message, hint, facts } = toHoldfastError(error);
  const why = message.replace(/ Nothing was changed\.$/, '');
  return new HoldfastError(
    code,
    `The call is allowed and the turn goes on; the rule for later calls was not saved: ${why}`,
    { ...(hint === undefined ? {} : { hint }), ...(facts === undefined ? {} : { facts }) },
  );
}

function unknownRequest(requestId: number): HoldfastError {
  return new HoldfastError('REQUEST_UNKNOWN', `There is no request ${String(requestId)}.`, {
    hint: 'Nothing was changed. "holdfast approvals list" shows what waits.',
    facts: { requestId },
  });
}
