import { READ_CAP_BYTES, isBinary } from './read-file';
import { openForReading } from './workspace-path';
import type { Overlay } from './draft-overlay';
import type { WalkEntry } from './walk-files';

/** Limits of one search. */
export const SEARCH_LIMITS = {
  totalMs: 10_000,
  /** Maximum time per file; a regular expression that needs more is aborted. */
  fileMs: 2_000,
  fileBytes: 2 * 1024 * 1024,
  lineChars: 2_000,
  shownChars: 300,
  depth: 40,
} as const;

interface SearchQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly maxMatches: number;
}

export type SearchOutcome =
  | { readonly kind: 'bad_pattern'; readonly reason: string }
  | {
      readonly kind: 'found';
      /** `path:line: text`. */
      readonly lines: readonly string[];
      readonly filesSearched: number;
      readonly filesTooLarge: number;
      /** Why the search ended before the last file. */
      readonly cut: 'matches' | 'time' | 'bytes' | undefined;
    };

/** Line numbers (1-based) with the text of the line. */
type Match = readonly [line: number, text: string];
type Matcher = {
  find(text: string, most: number): Promise<readonly Match[] | 'too_slow'>;
  stop(): void;
};

/**
 * Searches below `start`. Regular expressions run in a separate thread that is terminated if one
 * takes too long, so a model's pattern cannot block the application.
 */
export async function searchFiles(
  start: {
    readonly path: string;
    readonly root: string;
    readonly shown: string;
    /** The walk below it. */
    readonly files: AsyncIterable<WalkEntry>;
  },
  query: SearchQuery,
  overlay?: Overlay,
): Promise<SearchOutcome> {
  const reason = query.isRegex ? whyNoRegex(query) : undefined;
  if (reason !== undefined) return { kind: 'bad_pattern', reason };
  const deadline = performance.now() + SEARCH_LIMITS.totalMs;
  const matcher = query.isRegex ? await createRegexMatcher(query) : createLiteralMatcher(query);
  const lines: string[] = [];
  let filesSearched = 0;
  let filesTooLarge = 0;
  let bytes = 0;
  const prefix = start.shown === '.' ? '' : `${start.shown}/`;
  const found = (cut: 'matches' | 'time' | 'bytes' | undefined): SearchOutcome => ({
    kind: 'found',
    lines,
    filesSearched,
    filesTooLarge,
    cut,
  });
  try {
    const drafts = new Set(overlay?.below(start.shown));
    for await (const entry of andDrafts(start.files, drafts)) {
      if (entry.kind !== 'file') continue;
      if (performance.now() > deadline) return found('time');
      const content = await textOf(
        overlay?.placeOf(prefix + entry.path) ?? {
          path: `${start.path}/${entry.path}`,
          root: start.root,
        },
      );
      if (content === 'too_large') filesTooLarge += 1;
      if (typeof content === 'string') continue;
      filesSearched += 1;
      const matches = await matcher.find(content.text, query.maxMatches - lines.length);
      if (matches === 'too_slow') {
        return {
          kind: 'bad_pattern',
          reason: `the regular expression needs more than ${SEARCH_LIMITS.fileMs / 1000} s for ${prefix}${entry.path}; use a simpler one or search for plain text`,
        };
      }
      for (const [line, matched] of matches) {
        const shown = `${prefix}${entry.path}:${line}: ${matched}`;
        bytes += Buffer.byteLength(shown) + 1;
        if (bytes > READ_CAP_BYTES) return found('bytes');
        lines.push(shown);
        if (lines.length >= query.maxMatches) return found('matches');
      }
    }
    return found(undefined);
  } finally {
    matcher.stop();
  }
}

function whyNoRegex(query: SearchQuery): string | undefined {
  try {
    new RegExp(query.pattern, query.isCaseSensitive ? '' : 'i');
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'not a regular expression';
  }
}

/** The files of a walk, then drafts of files that do not exist yet. */
async function* andDrafts(
  files: AsyncIterable<WalkEntry>,
  drafts: Set<string>,
): AsyncGenerator<WalkEntry> {
  for await (const entry of files) {
    drafts.delete(entry.path);
    yield entry;
  }
  for (const path of drafts) yield { path, kind: 'file' };
}

async function textOf(place: {
  path: string;
  root: string;
}): Promise<{ readonly text: string } | 'too_large' | 'skipped'> {
  const handle = await openForReading(place);
  if (typeof handle === 'string') return 'skipped';
  try {
    if ((await handle.stat()).size > SEARCH_LIMITS.fileBytes) return 'too_large';
    const bytes = await handle.readFile();
    return isBinary(bytes) ? 'skipped' : { text: bytes.toString('utf8') };
  } finally {
    await handle.close();
  }
}

function createLiteralMatcher(query: SearchQuery): Matcher {
  const needle = query.isCaseSensitive ? query.pattern : query.pattern.toLowerCase();
  return {
    find: (text, most) => {
      const matches: Match[] = [];
      const lines = text.split('\n');
      for (let at = 0; at < lines.length && matches.length < most; at += 1) {
        const line = lines[at] ?? '';
        if ((query.isCaseSensitive ? line : line.toLowerCase()).includes(needle)) {
          matches.push([at + 1, line.replace(/\r$/, '').slice(0, SEARCH_LIMITS.shownChars)]);
        }
      }
      return Promise.resolve(matches);
    },
    stop: () => undefined,
  };
}

/**
 * Plain JavaScript, because it runs from a string, so that the thread needs no separate file in the
 * bundle.
 */
const REGEX_THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { pattern, flags, lineChars, shownChars } = workerData;
const expression = new RegExp(pattern, flags);
parentPort.on('message', ({ text, most }) => {
  const matches = [];
  const lines = text.split('\\n');
  for (let at = 0; at < lines.length && matches.length < most; at += 1) {
    const line = lines[at].replace(/\\r$/, '');
    if (expression.test(line.slice(0, lineChars))) matches.push([at + 1, line.slice(0, shownChars)]);
  }
  parentPort.postMessage(matches);
});
`;

async function createRegexMatcher(query: SearchQuery): Promise<Matcher> {
  const { Worker } = await import('node:worker_threads');
  const thread = new Worker(REGEX_THREAD, {
    eval: true,
    env: {},
    workerData: {
      pattern: query.pattern,
      flags: query.isCaseSensitive ? '' : 'i',
      lineChars: SEARCH_LIMITS.lineChars,
      shownChars: SEARCH_LIMITS.shownChars,
    },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  // A thread that dies between two files is noticed by the next file, not by the application.
  thread.on('error', () => undefined);
  return {
    find: (text, most) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => end(() => resolve('too_slow')), SEARCH_LIMITS.fileMs);
        const onAnswer = (matches: readonly Match[]): void => end(() => resolve(matches));
        const onError = (error: Error): void => end(() => reject(error));
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          thread.off('message', onAnswer);
          thread.off('error', onError);
          settle();
        };
        thread.on('message', onAnswer);
        thread.on('error', onError);
        thread.postMessage({ text, most });
      }),
    stop: () => {
      // Not awaited: the thread may be stuck in a pattern.
      thread.terminate().catch(() => undefined);
    },
  };
}
