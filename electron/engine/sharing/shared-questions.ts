/**
 * Approval requests of shared turns: shown on every computer that knows the turn, answered once.
 * DW-23
 */
import { z } from 'zod';
import type { JournalEntry } from '../../ports/journal/entries';
import type { RequestFacts, RequestRow } from '../../ports/journal/approvals';
import type { SharedTurnRow } from '../../ports/journal/shared';
import type { SharedStore, ToldQuestion } from '../../ports/shared-store';
import { openItem, settle } from '../inbox/entries';
import { wholeTextOf } from '../journal/stored-text';
import { portableValue } from '../journal/portable-keys';
import { canonicalJson } from '../kernel/canonical';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import type { Approvals } from '../permissions/approvals';
import { cleared } from '../permissions/request-entries';
import type { RequestReply } from '../permissions/request-types';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { HeldTurns } from './held-turns';
import { plainOut, textIn, wireText, wireWords, type WireTexts } from './wire';

const questionBody = z.strictObject({
  request: z.enum(['approval', 'custom_tool']),
  tool: z.string().max(400),
  inputKey: z.string().max(200),
  call: z.strictObject({ step: z.number(), part: z.number() }).optional(),
  input: wireText,
  hint: z.string(),
  reason: wireWords(2_000),
  grant: z.string(),
  leaves: z.boolean().optional(),
  goesTo: z.strictObject({ address: z.string(), name: z.string() }).optional(),
  notTold: wireWords(2_000).optional(),
});
const replyBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('allow'), scope: z.enum(['once', 'session', 'always']) }),
  z.strictObject({ kind: z.literal('deny'), note: z.string().optional() }),
  z.strictObject({ kind: z.literal('result'), output: z.string() }),
]);

/**
 * Tries each in order. A failing one, such as one written by a newer version, does not block the
 * others. Throws the first error at the end. @throws SHARE_UNREACHABLE at once
 */
async function tryEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<() => void> {
  const errors: unknown[] = [];
  for (const item of items)
    await work(item).catch((error: unknown) => {
      if (toHoldfastError(error).code === 'SHARE_UNREACHABLE') throw error;
      errors.push(error);
    });
  return () => {
    if (errors.length > 0) throw errors[0];
  };
}

interface SharedQuestionsDeps {
  readonly store: Pick<SharedStore, 'ask' | 'answer'>;
  readonly texts: WireTexts;
  readonly recovery: Pick<RecoverDeps, 'journal' | 'reads' | 'crashPoints'>;
  readonly held: Pick<HeldTurns, 'list' | 'has'>;
  readonly approvals: Pick<Approvals, 'apply'>;
  readonly name: () => string;
}

export interface SharedQuestions {
  /**
   * Handles the questions of a poll; failures are retried with the next poll. @throws
   * SHARE_UNREACHABLE
   */
  after(questions: readonly ToldQuestion[]): Promise<void>;
  /**
   * Call before an answer is recorded here: the first answer counts on all computers.
   * @throws REQUEST_ANSWERED, REQUEST_STALE, SHARE_UNREACHABLE
   */
  claim(row: RequestRow, reply: RequestReply, by: string): Promise<'here' | 'elsewhere'>;
}

type About = Pick<
  RequestFacts,
  'turnId' | 'request' | 'tool' | 'inputKey' | 'call' | 'reason' | 'grant'
>;

export function createSharedQuestions(deps: SharedQuestionsDeps): SharedQuestions {
  const { store, texts, held } = deps;
  const { reads, journal, crashPoints } = deps.recovery;
  /** Questions from this run of Holdfast that the store has. */
  const asked = new Set<string>();
  /** Answers from here that the store has or may have; they are about to be recorded. */
  const answering = new Set<number>();

  /** The same on every computer. */
  const idOf = ({ turnId, request, tool, inputKey, call, reason, grant }: About): string => {
    const about = { request, tool, inputKey, call: call ?? null, reason, grant };
    const same = portableValue(about, texts.portableOf(turnId));
    return texts.hasher.sha256Hex(canonicalJson(same));
  };
  const openOf = (turnId: number): readonly RequestRow[] =>
    reads.requestsOfTurn(turnId).filter(({ answer }) => answer === undefined);

  const ask = async (uid: string, epoch: number, row: RequestRow): Promise<void> => {
    const id = idOf(row);
    const key = `${uid} ${String(epoch)} ${id}`;
    if (asked.has(key)) return;
    const { request, tool, inputKey, call, hint, reason, grant, leaves, goesTo, notTold } = row;
    const portable = texts.portableOf(row.turnId);
    const asks = JSON.stringify({
      ...{ request, tool, inputKey, call, hint, reason, grant, leaves, goesTo, notTold },
      // If the input is missing, every computer shows that, like this one.
      input: await plainOut(texts, portable, await wholeTextOf(texts.blobs, row.input)),
    });
    if (await store.ask({ turn: uid, epoch, id, body: portable.out(asks) })) asked.add(key);
  };

  /** Our own turns: sends their questions and takes in answers given elsewhere. */
  const ofHeld = async (
    { turnId, uid, epoch }: ReturnType<HeldTurns['list']>[number],
    questions: readonly ToldQuestion[],
  ): Promise<void> => {
    const throwFirst = await tryEach(openOf(turnId), async (row) => {
      await ask(uid, epoch, row);
      const told = questions.find(
        (one) => one.turn === uid && one.epoch === epoch && one.id === idOf(row),
      );
      if (typeof told?.answer !== 'string') return;
      const said = texts.portableOf(turnId).in(told.answer);
      const reply = replyBody.parse(JSON.parse(said)) as RequestReply;
      await deps.approvals.apply(row.requestId, reply, (told.by ?? '').slice(0, 64));
    });
    throwFirst();
  };

  const opening = async (turnId: number, { body }: ToldQuestion): Promise<JournalEntry[]> => {
    const turn = reads.turn(turnId);
    if (turn === undefined) return [];
    const portable = texts.portableOf(turnId);
    const { input, ...read } = questionBody.parse(JSON.parse(portable.in(body)));
    const requestId = journal.allocate('inbox');
    const { sessionId } = turn;
    const facts = {
      ...read,
      requestId,
      turnId,
      sessionId,
      input: await textIn(texts, input, { turnId, portable }),
    };
    return [
      { kind: 'approval.requested', ...(facts as RequestFacts) },
      openItem(requestId, 'approval', {
        turnId,
        sessionId,
        title: turn.promptStart,
        detail: facts.reason,
      }),
    ];
  };

  const closing = (row: RequestRow, by: string): readonly JournalEntry[] => [
    cleared(row, by.slice(0, 64)),
    settle(row.requestId, 'elsewhere'),
  ];

  /** A turn of another computer: its questions are shown here too until someone answers them. */
  const ofAway = async (row: SharedTurnRow, questions: readonly ToldQuestion[]): Promise<void> => {
    const turn = reads.turn(row.turnId);
    if (turn === undefined || turn.endedAtMs !== undefined) return;
    const those = questions.filter(({ turn: of, epoch }) => of === row.uid && epoch === row.epoch);
    const known = reads.requestsOfTurn(row.turnId).map((one) => ({ one, id: idOf(one) }));
    const entries: JournalEntry[] = [];
    for (const { one, id } of known) {
      const told = those.find((question) => question.id === id);
      const isOpen = told !== undefined && typeof told.answer !== 'string';
      if (one.answer === undefined && !isOpen && !answering.has(one.requestId))
        entries.push(...closing(one, told?.by ?? 'another computer'));
    }
    const throwFirst = await tryEach(those, async (told) => {
      const isHere = known.some(({ one, id }) => id === told.id && one.answer === undefined);
      if (typeof told.answer !== 'string' && !isHere)
        entries.push(...(await opening(row.turnId, told)));
    });
    if (entries.length > 0) {
      crashPoints.hit('approval.request.before');
      await journal.commit(entries);
      crashPoints.hit('approval.request.after');
    }
    throwFirst();
  };

  const elsewhere = (row: RequestRow, by: string): HoldfastError =>
    new HoldfastError(
      'REQUEST_ANSWERED',
      `Request ${String(row.requestId)} was already answered: ${by}.`,
      {
        hint: 'Nothing was changed. The first answer counts on all computers.',
        facts: { requestId: row.requestId, turnId: row.turnId },
      },
    );

  return {
    async after(questions) {
      const away = reads
        .openShared()
        .filter(({ state, turnId }) => state === 'away' && !held.has(turnId));
      const turns = [
        ...held.list().map((turn) => () => ofHeld(turn, questions)),
        ...away.map((row) => () => ofAway(row, questions)),
      ];
      const throwFirst = await tryEach(turns, (one) => one());
      throwFirst();
    },
    async claim(row, reply, by) {
      const shared = reads.sharedTurn(row.turnId);
      if (shared === undefined || shared.state === 'over') return 'here';
      const where = held.has(row.turnId) ? 'here' : 'elsewhere';
      const { uid: turn, epoch } = shared;
      if (where === 'here') await ask(turn, epoch, row);
      const answer = texts.portableOf(row.turnId).out(JSON.stringify(reply));
      const given = { turn, epoch, id: idOf(row), answer, by: `${by} on ${deps.name()}` };
      answering.add(row.requestId);
      const said = await store.answer(given).catch((error: unknown) => {
        answering.delete(row.requestId);
        throw error;
      });
      if (said.kind === 'taken') return where;
      answering.delete(row.requestId);
      if (said.kind === 'answered') throw elsewhere(row, said.by);
      throw new HoldfastError(
        'REQUEST_STALE',
        `Request ${String(row.requestId)} is no longer needed by its turn: another run of the turn may ask again.`,
        {
          hint: 'Nothing was done. List pending requests: holdfast approvals list',
          facts: { requestId: row.requestId, turnId: row.turnId },
        },
      );
    },
  };
}
