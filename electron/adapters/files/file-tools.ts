import { dirname, join, basename } from 'node:path';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { once } from '../../../shared/once';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { DraftWorkspace } from '../../ports/drafts';
import type { ToolHost } from '../../ports/tools';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import { overlayOf, withDrafts } from './draft-overlay';
import { openFolder } from './folder-handle';
import type { FolderHandle } from './folder-handle';
import type { PathLeases } from './path-leases';
import { createPathLeases } from './path-leases';
import { READ_CAP_BYTES, readLines } from './read-file';
import { SEARCH_LIMITS, searchFiles } from './search-files';
import type { SearchOutcome } from './search-files';
import {
  createToolHost,
  defineTool,
  done,
  errnoOf,
  inertLine,
  quoted,
  refused,
} from '../tools/tool-host';
import { SKIPPED_FOLDERS, walkFiles } from './walk-files';
import type { WalkEntry } from './walk-files';
import { openForReading, placeInWorkspace, whyNotRead } from './workspace-path';
import type { PlaceInWorkspace } from './workspace-path';
import { removeLeftovers, tempFileName, writeWhole } from './write-file';

const LIST_CAP = 2_000;
const WRITE_CAP_CHARS = 4_000_000;

/** Errors after which the same write may succeed without a changed call. */
const PASSING_ERRORS = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'EAGAIN',
  'ENOMEM',
]);

const path = once(() => z.string().min(1).max(4096));

/**
 * The four file tools of a workspace: `read_file`, `list_files`, `search_files` (world, own
 * workspace) and `write_file` (side effect, idempotent, with a status check). Rows S4-11, S4-14,
 * S4-23, S4-32; security T3.
 */
export function createFileTools(deps: {
  readonly crashPoints: CrashPoints;
  /** Target of a session's draft writes (S3-20); absent: every write is real. */
  readonly drafts?: DraftWorkspace;
  readonly leases?: PathLeases;
}): ToolHost {
  return createToolHost('files', [
    readTool(deps.drafts),
    listTool(deps.drafts),
    searchTool(deps.drafts),
    writeTool(deps.crashPoints, deps.leases ?? createPathLeases(), deps.drafts),
  ]);
}

function readTool(drafts: DraftWorkspace | undefined) {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file of the workspace. Returns its exact text, at most 256 KB; a note in the last line says when there is more.',
    purity: 'world',
    isWorkspaceRead: true,
    args: () =>
      z.strictObject({
        path: path().describe('Relative to the workspace'),
        start_line: z.number().int().min(1).optional().describe('First line, 1-based'),
        end_line: z.number().int().min(1).optional().describe('Last line, included'),
      }),
    hint: (args) => args.path,
    async run(args, call) {
      const place = await placeInWorkspace(call.workspace, args.path);
      if (place.kind === 'outside') return refused(place.message);
      const draft = overlayOf(drafts, call, place).placeOf(place.shown);
      const opened = draft === undefined ? 'missing' : await openForReading(draft);
      // The draft was removed by someone: the file is better than nothing, and the list shows it.
      const handle = typeof opened === 'string' ? await openForReading(place) : opened;
      if (typeof handle === 'string') return refused(whyNotRead(handle, place.shown));
      try {
        const startLine = args.start_line ?? 1;
        const read = await readLines(handle, {
          startLine,
          endLine: args.end_line,
          capBytes: READ_CAP_BYTES,
          signal: call.signal,
        });
        if (read.kind === 'binary') {
          return refused(
            `${inertLine(place.shown)} is a binary file of ${read.sizeBytes} bytes and is not shown.`,
          );
        }
        if (read.lastLine < startLine && startLine > 1) {
          return refused(`${inertLine(place.shown)} has no line ${startLine}.`);
        }
        if (!read.hasMore) return done(read.text);
        return done(
          `${read.text}${read.text.endsWith('\n') ? '' : '\n'}[${whatIsMissing(read, startLine)}]`,
        );
      } finally {
        await handle.close();
      }
    },
  });
}

function whatIsMissing(
  read: { isCut: boolean; lastLine: number; sizeBytes: number },
  startLine: number,
): string {
  const size = `the file has ${read.sizeBytes} bytes`;
  if (!read.isCut)
    return `up to line ${read.lastLine}; ${size}; continue with start_line ${read.lastLine + 1}`;
  const cap = `truncated at ${READ_CAP_BYTES / 1024} KB inside line ${read.lastLine}; ${size}`;
  // Starting again at a line that is itself too long would show the same bytes forever.
  return read.lastLine === startLine
    ? `${cap}; the rest of this line is not shown; continue with start_line ${read.lastLine + 1}`
    : `${cap}; continue with start_line ${read.lastLine}`;
}

function listTool(drafts: DraftWorkspace | undefined) {
  return defineTool({
    name: 'list_files',
    description:
      'Lists files and folders of the workspace. Folders end with /, links with @. Folders like .git and node_modules are named but not opened.',
    purity: 'world',
    isWorkspaceRead: true,
    args: () =>
      z.strictObject({
        path: path()
          .optional()
          .describe('Folder relative to the workspace; default: the workspace'),
        depth: z.number().int().min(1).max(20).optional().describe('Levels to go down; default: 1'),
      }),
    hint: (args) => args.path ?? '.',
    async run(args, call) {
      const place = await placeInWorkspace(call.workspace, args.path ?? '.');
      if (place.kind === 'outside') return refused(place.message);
      const overlay = overlayOf(drafts, call, place);
      return inFolder(place, async (folder) => {
        if (folder === undefined && !overlay.hasFolder(place.shown))
          return refused(`${inertLine(place.shown)} is not a folder.`);
        const lines: string[] = [];
        const depth = args.depth ?? 1;
        const walk = walkOf(folder, { depth, signal: call.signal });
        const entries = overlay.isEmpty
          ? walk
          : withDrafts(await firstOf(walk, LIST_CAP + 1), overlay.below(place.shown), depth);
        for await (const entry of entries) {
          if (lines.length === LIST_CAP) {
            lines.push(
              `[truncated at ${LIST_CAP} entries; list a folder further down or use search_files]`,
            );
            break;
          }
          const mark = { file: '', folder: '/', link: '@', special: '|' }[entry.kind];
          // A name with a line break would look like two files.
          lines.push(entry.path.replace(/[\n\r]/g, '?') + mark);
        }
        return done(lines.length === 0 ? '[empty folder]' : lines.join('\n'));
      });
    },
  });
}

/** The first entries of a walk: a workspace may be larger than any list. */
async function firstOf(walk: AsyncIterable<WalkEntry>, most: number): Promise<WalkEntry[]> {
  const entries: WalkEntry[] = [];
  for await (const entry of walk) if (entries.push(entry) >= most) break;
  return entries;
}

function searchTool(drafts: DraftWorkspace | undefined) {
  return defineTool({
    name: 'search_files',
    description: `Finds lines in the text files of the workspace. Returns path:line: text. Skips binary files, files over 2 MB and ${[...SKIPPED_FOLDERS].join(', ')}.`,
    purity: 'world',
    isWorkspaceRead: true,
    args: () =>
      z.strictObject({
        pattern: z
          .string()
          .min(1)
          .max(1_000)
          .describe('Plain text, or a regular expression with is_regex'),
        is_regex: z.boolean().optional(),
        is_case_sensitive: z.boolean().optional().describe('default: true'),
        path: path().optional().describe('Folder or file to search; default: the workspace'),
        max_matches: z.number().int().min(1).max(1_000).optional().describe('default: 200'),
      }),
    hint: (args) => `${args.pattern} in ${args.path ?? '.'}`,
    async run(args, call) {
      const place = await placeInWorkspace(call.workspace, args.path ?? '.');
      if (place.kind === 'outside') return refused(place.message);
      const overlay = overlayOf(drafts, call, place);
      return inFolder(place, async (folder) => {
        if (folder === undefined && !overlay.hasFolder(place.shown)) {
          return refused(
            `${inertLine(place.shown)} is not a folder; use read_file for a single file.`,
          );
        }
        const outcome = await searchFiles(
          { ...place, files: walkOf(folder, { depth: SEARCH_LIMITS.depth, signal: call.signal }) },
          {
            pattern: args.pattern,
            isRegex: args.is_regex ?? false,
            isCaseSensitive: args.is_case_sensitive ?? true,
            maxMatches: args.max_matches ?? 200,
          },
          overlay,
        );
        return searchAnswer(outcome);
      });
    },
  });
}

function searchAnswer(outcome: SearchOutcome): ToolOutcome {
  if (outcome.kind === 'bad_pattern')
    return refused(`TOOL_INPUT_INVALID: pattern: ${outcome.reason}.`);
  const notes: string[] = [];
  if (outcome.lines.length === 0) notes.push(`no match in ${outcome.filesSearched} files`);
  if (outcome.filesTooLarge > 0)
    notes.push(`${outcome.filesTooLarge} files over 2 MB were not searched`);
  switch (outcome.cut) {
    case 'matches':
      notes.push('stopped at the maximum number of matches');
      break;
    case 'bytes':
      notes.push('stopped at 256 KB of matches');
      break;
    case 'time':
      notes.push(`stopped after ${SEARCH_LIMITS.totalMs / 1000} s; search a folder further down`);
      break;
    case undefined:
      break;
  }
  return done(
    [...outcome.lines, ...(notes.length > 0 ? [`[${notes.join('; ')}]`] : [])].join('\n'),
  );
}

function writeTool(
  crashPoints: CrashPoints,
  leases: PathLeases,
  drafts: DraftWorkspace | undefined,
) {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole text file of the workspace, replacing an existing one, and creates missing folders. The file is either as before or complete, never half.',
    purity: 'side_effect',
    isIdempotent: true,
    args: () =>
      z.strictObject({
        path: path().describe('Relative to the workspace'),
        content: z.string().max(WRITE_CAP_CHARS).describe('The whole new text'),
      }),
    hint: (args) => args.path,
    question: (args) => `Was ${quoted(args.path)} written?`,
    async stage(args, call) {
      if (drafts === undefined || call.draftsOf === undefined) return undefined;
      const place = await writable(call, args.path);
      if (place.kind === 'refused') return { outcome: place.outcome };
      return drafts.stage(call, { workspace: place.root, path: place.shown }, args.content);
    },
    async run(args, call) {
      const place = await writable(call, args.path);
      if (place.kind === 'refused') return place.outcome;
      const outcome = await leases.hold(place.path, () =>
        writeInWorkspace(place, args.content, {
          tempName: tempFileName(call.idempotencyKey),
          crashPoints,
        }),
      );
      switch (outcome.kind) {
        case 'written':
          return done(
            `Wrote ${Buffer.byteLength(args.content)} bytes to ${inertLine(place.shown)}.`,
          );
        case 'not_written':
          return notWritten(place.shown, outcome.code);
        case 'outside':
          return refused(whyOutside(place.shown));
        case 'unconfirmed':
          return {
            kind: 'unknown',
            message: `${inertLine(place.shown)} is written, but the disk did not confirm it (${outcome.code}).`,
          };
      }
    },
    async status(args, call) {
      const place = await placeInWorkspace(call.workspace, args.path);
      if (drafts !== undefined && call.draftsOf !== undefined && place.kind === 'inside') {
        const file = { workspace: place.root, path: place.shown };
        return (await drafts.has(call, file, args.content)) ? 'done' : 'not_done';
      }
      if (place.kind === 'outside' || !place.exists) return 'not_done';
      const wanted = Buffer.from(args.content, 'utf8');
      try {
        const handle = await openForReading(place);
        if (typeof handle !== 'string') {
          try {
            const isSameSize = (await handle.stat()).size === wanted.length;
            if (isSameSize && (await handle.readFile()).equals(wanted)) return 'done';
          } finally {
            await handle.close();
          }
        }
        // The temp file of this call disappears with its rename: while it exists, nothing has
        // happened.
        await stat(join(dirname(place.path), tempFileName(call.idempotencyKey)));
        return 'not_done';
      } catch {
        // Other content and no temp file: not yet written, or written and then changed by someone.
        return 'unknown';
      }
    },
  });
}

/** Through the open folder, so that no name on the path is resolved twice. */
async function writeInWorkspace(
  place: Extract<PlaceInWorkspace, { kind: 'inside' }>,
  content: string,
  options: Parameters<typeof writeWhole>[3],
): Promise<Awaited<ReturnType<typeof writeWhole>> | { readonly kind: 'outside' }> {
  let folder: FolderHandle | 'outside';
  try {
    folder = await openFolder({ root: place.root, path: dirname(place.path) }, { isMade: true });
  } catch (thrown) {
    return { kind: 'not_written', code: errnoOf(thrown) ?? String(thrown) };
  }
  if (folder === 'outside') return { kind: 'outside' };
  try {
    await removeLeftovers(folder, Date.now());
    return await writeWhole(folder, basename(place.path), content, options);
  } finally {
    await folder.close();
  }
}

/** A writable place, or the answer that says why it is not. */
async function writable(
  call: ToolCall,
  asked: string,
): Promise<
  | Extract<PlaceInWorkspace, { kind: 'inside' }>
  | { readonly kind: 'refused'; readonly outcome: ToolOutcome }
> {
  const no = (why: string) => ({ kind: 'refused', outcome: refused(why) }) as const;
  const place = await placeInWorkspace(call.workspace, asked);
  if (place.kind === 'outside') return no(place.message);
  if (place.path === place.root || /[/\\]$/.test(asked))
    return no(`${inertLine(asked)} is a folder, not a file.`);
  if (place.exists && !(await isRegularFile(place.path)))
    return no(`${inertLine(place.shown)} is not a regular file and is not replaced.`);
  return place;
}

function notWritten(shown: string, code: string): ToolOutcome {
  const message = `${inertLine(shown)} was not written (${code}); what was there before is unchanged.`;
  return PASSING_ERRORS.has(code)
    ? { kind: 'failed', message, isRetryable: true }
    : refused(`TOOL_FAILED: ${message}`);
}

/** Runs `work` with the folder open; with undefined if there is no such folder. */
async function inFolder(
  place: Extract<PlaceInWorkspace, { kind: 'inside' }>,
  work: (folder: FolderHandle | undefined) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const folder = await openFolder(place).catch(() => undefined);
  if (folder === 'outside') return refused(whyOutside(place.shown));
  try {
    return await work(folder);
  } finally {
    await folder?.close();
  }
}

/** A missing folder yields nothing. */
async function* walkOf(
  folder: FolderHandle | undefined,
  options: Parameters<typeof walkFiles>[1],
): AsyncGenerator<WalkEntry> {
  if (folder !== undefined) yield* walkFiles(folder, options);
}

const whyOutside = (shown: string): string =>
  `TOOL_OUTSIDE_WORKSPACE: a folder on the way to ${inertLine(shown)} has just become a symbolic link; nothing was touched. Look at the folder again with list_files.`;

async function isRegularFile(at: string): Promise<boolean> {
  return (await stat(at).catch(() => undefined))?.isFile() ?? false;
}
