import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { Redactor } from '../../../shared/redact';
import type { SearchIndex, SearchText } from '../../ports/search';
import { showText } from '../journal/show-text';
import { excerptOf, fits, planWords, searchMarks } from './plan-search';

type Input = VerbInput<'search.find'>;
type Output = VerbOutput<'search.find'>;
type Hit = Output['hits'][number];

interface SearchDeps {
  readonly index: () => Promise<SearchIndex>;
  /** Indexes new entries, for at most this long; returns how many entries are left. */
  readonly catchUp: (mostMs: number) => Promise<number>;
  readonly sessionId: (ref: string) => number;
  readonly redactor: Pick<Redactor, 'redactText'>;
  readonly monotonicMs: () => number;
  /** Yields to other work. */
  readonly rest: () => Promise<void>;
}

const DEFAULT_LIMIT = 50;
/** Entries read at once; the event loop runs in between. */
const SLICE = 50;
/** Time limit of one call; then it returns its results and where to continue. */
const BUDGET_MS = 150;
const CATCH_UP_MS = 300;

/**
 * Finds words, newest first, within a time limit: a rare word among common ones needs more pages,
 * not more time. SR-01
 */
export function createSearch(deps: SearchDeps): (input: Input) => Promise<Output> {
  return async (input) => {
    const { limit = DEFAULT_LIMIT } = input;
    const notIndexed = await deps.catchUp(CATCH_UP_MS);
    const wanted = planWords(input.words, input.file);
    // A search for a secret reveals nothing, not even that the secret occurs.
    if (deps.redactor.redactText(input.words) !== input.words) return { hits: [], notIndexed };
    const index = await deps.index();
    const marks = marksOf(input, deps.sessionId);
    const endMs = deps.monotonicMs() + BUDGET_MS;
    const fromSeq = input.sinceMs === undefined ? 0 : index.seqAt(input.sinceMs);
    let beforeSeq = input.before ?? untilSeq(index, input.untilMs);
    const hits: Hit[] = [];
    for (;;) {
      const seqs = index.find({ ...wanted, marks, fromSeq, beforeSeq }, SLICE);
      for (const text of await index.read(seqs)) {
        if (hits.length === limit) break;
        beforeSeq = text.seq;
        if (fits(text, wanted, input)) hits.push(hitOf(text, excerptOf(text.text, wanted)));
      }
      const isOver = hits.length === limit;
      if (!isOver) beforeSeq = seqs.at(-1) ?? beforeSeq;
      if (!isOver && seqs.length < SLICE) return { hits, notIndexed };
      if (isOver || deps.monotonicMs() > endMs) return { hits, nextBefore: beforeSeq, notIndexed };
      await deps.rest();
    }
  };
}

const untilSeq = (index: SearchIndex, untilMs: number | undefined): number =>
  untilMs === undefined ? Number.MAX_SAFE_INTEGER : index.seqAt(untilMs + 1);

function marksOf(
  { agent, session, tool }: Input,
  sessionId: (ref: string) => number,
): readonly string[] {
  return [
    ...(agent === undefined ? [] : [searchMarks.agent(agent)]),
    ...(session === undefined ? [] : [searchMarks.session(sessionId(session))]),
    ...(tool === undefined ? [] : [searchMarks.tool(tool)]),
  ];
}

const EXCERPT_CHARS = 300;
const NAME_CHARS = 300;

function hitOf(found: SearchText, excerpt: string): Hit {
  const { part, atMs, turnId, title, step, tool, state, sessionId, session, agent } = found;
  return {
    part,
    atMs,
    ...(turnId === undefined ? {} : { turnId }),
    ...(title === undefined ? {} : { title: title.slice(0, NAME_CHARS) }),
    ...(step === undefined ? {} : { step }),
    ...(tool === undefined ? {} : { tool: tool.slice(0, NAME_CHARS) }),
    ...(state === undefined ? {} : { state }),
    sessionId,
    session: session.slice(0, NAME_CHARS),
    agent: agent.slice(0, NAME_CHARS),
    excerpt: showText(excerpt, EXCERPT_CHARS).text,
  };
}

/** Index terms of an entry; a tool is found by its full name and by the part after the dot. */
export const entryMarks = (text: SearchText): readonly string[] => {
  const { agent, sessionId, tool = '' } = text;
  const short = tool.slice(tool.lastIndexOf('.') + 1);
  return [
    searchMarks.agent(agent),
    searchMarks.session(sessionId),
    ...(tool === '' ? [] : [...new Set([tool, short])].map(searchMarks.tool)),
  ];
};
