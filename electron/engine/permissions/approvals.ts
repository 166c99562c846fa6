import { cutText } from '../../../shared/cut-text';
import type { NewRequest, RequestReply } from './request-types';
import { folderOfToolCall, pathIn } from '../../../shared/call-folder';
import { editsOf } from '../../../shared/file-edits';
import { parsedJson } from '../../../shared/parsed-json';
import type { ApprovalView } from '../../../shared/types';
import type { Hasher } from '../../ports/blobs';
import type { Basics } from '../kernel/basics';
import type { ApprovalReads, RequestFacts, RequestRow } from '../../ports/journal/approvals';
import type { TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SettingsPort } from '../../ports/settings';
import { INLINE_CHARS } from '../journal/step-keys';
import { showText } from '../journal/show-text';
import { textOf } from '../journal/stored-text';
import { canonicalJson } from '../kernel/canonical';
import { eachAlone } from '../kernel/each-alone';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import {
  asksAgain,
  clearing,
  goingOn,
  isSameQuestion,
  leftOpen,
  replaced,
  waitsFor,
} from './request-entries';
import {
  answeredAlready,
  recordedRefusal,
  refuseAnswered,
  refuseWrongKind,
  ruleNotSaved,
  staleRequest,
  unknownRequest,
} from './request-refusals';
import { MAX_REASON, openItem, settle } from '../inbox/entries';

/** Maximum characters of an input or note that are shown and stored with the row. */
const SHOWN_CHARS = 4_000;
const START_CHARS = 2_000;
/** Maximum length of a rule's name in the settings. */
const MAX_RULE_CHARS = 200;

interface ApprovalsDeps extends Pick<
  Basics,
  'journal' | 'blobs' | 'hasher' | 'clock' | 'crashPoints' | 'audit'
> {
  readonly reads: ApprovalReads & TurnReads;
  readonly settings: Pick<SettingsPort, 'setEntry'>;
  readonly folders: {
    /** A folder formatted for display: `~/project`. */
    readonly shown: (folder: string) => string;
    /** The relative path of a file in a folder; undefined if it is outside. */
    readonly fileBelow: (folder: string, file: string) => string | undefined;
  };
  /**
   * Called before an answer is recorded: if several computers know a turn, the first answer counts.
   * `elsewhere`: the turn continues there. @throws REQUEST_ANSWERED, REQUEST_STALE,
   * SHARE_UNREACHABLE
   */
  readonly claim: (
    row: RequestRow,
    reply: RequestReply,
    by: string,
  ) => Promise<'here' | 'elsewhere'>;
  /** The turn can resume: it has no runner and waits for nothing else. */
  readonly onQueued: (turn: TurnRow) => void;
}

/**
 * Approvals of calls, and results of custom tools. A question is on disk with its exact input
 * before anything waits for it, and its answer is on disk before anything happens. Both survive a
 * crash of the process; waiting costs nothing. Source: S3-05..S3-11.
 */
export interface Approvals {
  /**
   * The newest question about each call of a turn. Reads them once, when the first is wanted: while
   * a turn runs, none of its calls waits for an answer.
   */
  ofTurn(
    turnId: number,
  ): (call: { readonly step: number; readonly part: number }) => RequestRow | undefined;
  /**
   * The entries that open a question. Commit them together with the outcomes before it, so that
   * there is either the question or a turn that runs again (S3-07).
   */
  opening(
    request: NewRequest,
  ): Promise<{ readonly requestId: number; readonly entries: readonly JournalEntry[] }>;
  /**
   * For a run that stays alive while it waits: resolves with the answered question. `commit` writes
   * the entries to disk before the wait. A resumed turn whose question is still open reuses it, so
   * the user never sees it twice; a question with a different reason replaces it. @throws the
   * reason of the signal
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
  /**
   * Records an answer that another computer gave first. Does nothing if the request was closed
   * since.
   */
  apply(requestId: number, reply: RequestReply, by: string): Promise<void>;
}

const OUTCOMES = { allow: 'allowed', deny: 'refused', result: 'result given' } as const;

/** What an answer is bound to: exactly the question that was shown. */
const hashOf = (
  hasher: Hasher,
  { requestId, turnId, request, tool, inputKey }: RequestRow,
): string => hasher.sha256Hex(canonicalJson({ requestId, turnId, request, tool, inputKey }));

export function createApprovals(deps: ApprovalsDeps): Approvals {
  /** Runs that wait for an answer while they stay alive. */
  const waiters = new Map<number, (row: RequestRow) => void>();
  /** Questions of this process's runs; any other open question belongs to an ended run. */
  const asking = new Set<number>();
  const oneByOne = createKeyedMutex<number>();
  const rulesOneByOne = createKeyedMutex<'rules'>();

  const viewOf = async (row: RequestRow): Promise<ApprovalView> => {
    const input = await textOf(deps.blobs, row.input);
    const shown = showText(input, SHOWN_CHARS);
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
      ...(row.leaves === true ? { leaves: true } : {}),
      ...(row.goesTo === undefined
        ? {}
        : {
            goesTo: {
              address: showText(row.goesTo.address, 500).text,
              name: showText(row.goesTo.name, 200).text,
            },
          }),
      ...(row.notTold === undefined ? {} : { notTold: showText(row.notTold, 300).text }),
      ...placeOf(deps, turn, row.tool, input),
      args: shown.text,
      isTruncated: shown.isTruncated,
      // An ACP agent's key has the call's identity before the hash.
      inputHash: row.inputKey.slice(-64),
      requestedAtMs: row.requestedAtMs,
      requestHash: hashOf(deps.hasher, row),
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
      reason: cutText(request.reason, MAX_REASON),
      grant: request.grant,
      ...(request.leaves === true ? { leaves: true } : {}),
      ...(request.goesTo === undefined ? {} : { goesTo: request.goesTo }),
      ...(request.notTold === undefined ? {} : { notTold: cutText(request.notTold, 300) }),
    };
    deps.crashPoints.hit('approval.request.before');
    return {
      requestId,
      entries: [
        { kind: 'approval.requested', ...facts },
        { kind: 'turn.state', turnId: turn.id, state: 'requires_action', reason: waitsFor(facts) },
        openItem(requestId, 'approval', {
          turnId: turn.id,
          sessionId: turn.sessionId,
          title: turn.promptStart,
          detail: facts.reason,
        }),
      ],
    };
  };

  const tellWaiter = (row: RequestRow): void => {
    const tell = waiters.get(row.requestId);
    waiters.delete(row.requestId);
    tell?.(row);
  };

  deps.journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind !== 'approval.answered' || !waiters.has(entry.requestId)) continue;
        const row = deps.reads.request(entry.requestId);
        if (row !== undefined) tellWaiter(row);
      }
    },
    { skipsSteps: true },
  );

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

  /** Wrapped, so that awaiting this does not wait for the answer. */
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
      // An answer that arrives now finds the question as it was left, or this run waiting for it.
      const begun = await (left === undefined ? begin() : oneByOne(left.requestId, begin));
      asked = begun.requestId;
      return await begun.answered;
    } finally {
      for (const id of [left?.requestId, asked]) if (id !== undefined) asking.delete(id);
    }
  };

  /** One at a time: each rule is added to the existing ones. */
  const saveRule = (grant: string): Promise<unknown> =>
    rulesOneByOne('rules', () => deps.settings.setEntry('approvals.tools', grant, 'allow')).catch(
      (error: unknown) => {
        throw ruleNotSaved(error);
      },
    );

  const answer: Approvals['answer'] = async (requestId, requestHash, reply, by) => {
    const row = need(requestId);
    refuseAnswered(row);
    refuseWrongKind(row, reply);
    if (hashOf(deps.hasher, row) !== requestHash) throw staleRequest(row);
    return record(row, reply, by, await deps.claim(row, reply, by));
  };

  const record = async (
    row: RequestRow,
    reply: RequestReply,
    by: string,
    where: 'here' | 'elsewhere',
  ): Promise<ApprovalView> => {
    const { requestId } = row;
    const turn = deps.reads.turn(row.turnId);
    if (turn === undefined || turn.endedAtMs !== undefined) throw answeredAlready(row, 'cleared');
    const result = reply.kind === 'result' ? await store(row.turnId, reply.output) : undefined;
    // Another answer may have arrived while this was stored.
    refuseAnswered(need(requestId));
    // A rule's name must fit in one line; an approval of a longer command lasts for the session
    // only.
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
      settle(requestId, OUTCOMES[reply.kind]),
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
    if (scope === 'always' && where === 'here') await saveRule(row.grant);
    return viewOf(need(requestId));
  };

  return {
    ofTurn(turnId) {
      let rows: readonly RequestRow[] | undefined;
      return ({ step, part }) =>
        (rows ??= deps.reads.requestsOfTurn(turnId)).findLast(
          ({ call }) => call?.step === step && call.part === part,
        );
    },
    opening,
    ask,
    clearing: (turn, by) => clearing(deps.reads, turn, by),
    list: (filter) => eachAlone(deps.reads.requests(filter), viewOf),
    view: (requestId) => viewOf(need(requestId)),
    apply: (requestId, reply, by) =>
      oneByOne(requestId, async () => {
        const row = need(requestId);
        const turn = deps.reads.turn(row.turnId);
        if (row.answer !== undefined || turn?.endedAtMs !== undefined) return;
        await record(row, reply, by, 'here');
      }),
    // If two answers arrive at the same moment, the second one finds the first one's.
    answer: (requestId, requestHash, reply, by) =>
      oneByOne(requestId, () => answer(requestId, requestHash, reply, by)).catch(
        (error: unknown) => {
          throw recordedRefusal(deps.audit, error, requestId, reply, by);
        },
      ),
  };
}

/** Where a call runs, formatted for display, and the file in that folder that it changes. */
const placeOf = (
  deps: ApprovalsDeps,
  turn: TurnRow | undefined,
  tool: string,
  input: string,
): Pick<ApprovalView, 'folder' | 'file'> => {
  const own = turn?.frameId === undefined ? undefined : deps.reads.frame(turn.frameId)?.workspace;
  const at = own === undefined ? undefined : folderOfToolCall(tool, parsedJson(input), own);
  if (at === undefined) return {};
  const path = pathIn(editsOf(input)?.path ?? '', at);
  const isKnown = path !== undefined && !path.startsWith('~');
  const file = isKnown ? deps.folders.fileBelow(at, path) : undefined;
  return {
    folder: showText(deps.folders.shown(at), 4096).text,
    ...(file === undefined ? {} : { file: showText(file, 4096).text }),
  };
};
