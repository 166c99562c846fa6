/**
 * `holdfast drafts list|diff|apply|restore|discard`: files that an agent wrote as drafts. S3-20,
 * S3-21
 */
import type { Command } from 'commander';
import type { DiffRow, DraftDiff, DraftView } from '../../../shared/types/drafts';
import { HoldfastError, invalidInput, toHoldfastError } from '../../engine/kernel/errors';
import type { Program, Reply, Run } from '../command';
import { asks, calls, optional, where, wholeNumber } from '../command';
import type { ExitCode } from '../exit-codes';
import { EXIT, exitCodeOf } from '../exit-codes';
import type { Reach } from '../reach';
import { countText, ifKnown, inert, inertLine, joinParts } from '../render';

const STATE_WORDS = {
  ready: 'ready',
  in_sync: 'same as the file',
  draft_missing: 'draft missing',
  substrate_missing: 'file missing',
} as const;

/** `ready, file changed`: the state, then what is in the way. */
function stateText(draft: DraftView): string {
  const parts = [
    draft.state === undefined ? draft.stage : STATE_WORDS[draft.state],
    draft.sourceChanged && draft.state !== 'in_sync' ? 'file changed' : undefined,
    draft.draftChanged ? 'draft edited by hand' : undefined,
  ];
  return joinParts(parts, ', ');
}

function listText(drafts: readonly DraftView[], isDecided: boolean, run: Run): string {
  return run.table(
    ['DRAFT', 'SESSION', 'FILE', 'STATUS', isDecided ? 'DECIDED' : 'STAGED'],
    drafts.map((draft) => [
      String(draft.draftId),
      inertLine(draft.sessionKey),
      inertLine(draft.path),
      stateText(draft),
      run.when(isDecided ? draft.decidedAtMs : draft.updatedAtMs),
    ]),
  );
}

const MARKS: Readonly<Record<DiffRow['kind'], string>> = {
  same: ' ',
  removed: '-',
  added: '+',
  newer: '!',
  revived: '+',
};

function rowText(row: DiffRow, run: Run): string {
  const line = `${MARKS[row.kind]} ${inert(row.text)}${row.isCut ? ' …' : ''}`;
  switch (row.kind) {
    case 'added':
    case 'revived':
      return run.paint('good', line);
    case 'removed':
      return run.paint('bad', line);
    case 'newer':
      return run.paint('warn', line);
    case 'same':
      return line;
  }
}

/** The hash of exactly what is shown, short enough to type. */
const seenOf = (draft: DraftView): string => draft.requestHash.slice(0, 12);

function diffText(diff: DraftDiff, run: Run): string {
  const { draft, summary } = diff;
  const head = [
    `Draft ${String(draft.draftId)} of ${inertLine(draft.path)}: ${stateText(draft)}`,
    `  ${inertLine(draft.workspace)}, staged ${run.when(draft.updatedAtMs)} by ${inertLine(run.agentName(draft.agent))}`,
    `  Draft file: ${inertLine(draft.place)}`,
    ifKnown(draft.problem, (problem) => `  ${inertLine(problem)}`),
    summary.newer > 0
      ? `  Applying removes ${countText(summary.newer, 'newer line')} from the file (marked !)`
      : undefined,
    diff.isBaseMissing
      ? '  The original version of the file is no longer available: newer lines are not marked'
      : undefined,
  ];
  const why = {
    text: draft.state === 'in_sync' ? 'The file has the same content.' : undefined,
    binary: 'Binary files are not shown.',
    too_large: 'The file is too large to compare.',
    missing: 'There is nothing to compare.',
  }[diff.kind];
  const body = diff.hunks.flatMap((hunk, at) => [
    run.paint(
      'quiet',
      `@@ change ${String(at + 1)}: line ${String(hunk.fileStart)} of the file, line ${String(hunk.draftStart)} of the draft @@`,
    ),
    ...hunk.rows.map((row) => rowText(row, run)),
  ]);
  const command = `holdfast drafts apply ${String(draft.draftId)}`;
  const next =
    draft.stage !== 'staged' || draft.state === 'draft_missing'
      ? []
      : [
          ...(draft.sourceChanged && draft.state !== 'in_sync'
            ? [
                'To replace the current file, if it is still exactly this:',
                `  ${command} --over-changed --seen ${seenOf(draft)}`,
              ]
            : [
                'To apply the draft, if it is still exactly this:',
                `  ${command} --seen ${seenOf(draft)}`,
              ]),
          ...(diff.hunks.length < 2
            ? []
            : ['Single changes: add --only with their numbers, such as --only 1']),
        ];
  const cut = diff.isCut ? '… the rest is not shown' : undefined;
  return joinParts([...head, why, ...body, cut, ...next]);
}

/** A draft that was decided before is not unknown: the user repeated an answer. */
async function notStaged(engine: Reach, draftId: number): Promise<HoldfastError> {
  const { drafts } = await engine.call('drafts.list', { decided: true, limit: 1000 });
  const before = drafts.find((one) => one.draftId === draftId);
  return before === undefined
    ? new HoldfastError('DRAFT_UNKNOWN', `There is no staged draft ${String(draftId)}.`, {
        hint: 'Nothing was changed. List staged drafts: holdfast drafts list',
      })
    : new HoldfastError(
        'DRAFT_STATE',
        `Draft ${String(draftId)} is already ${before.stage === 'promoted' ? 'applied' : 'discarded'}.`,
        {
          hint: 'Nothing was changed. List staged drafts: holdfast drafts list',
        },
      );
}

/** Fetches the current drafts; the answer applies to exactly these (I4). */
async function chosen(engine: Reach, run: Run, words: readonly string[]): Promise<DraftView[]> {
  const session = optional<string>(run, 'session');
  const { drafts } = await engine.call('drafts.list', {
    limit: 1000,
    ...where('session', session),
  });
  if (words.length === 0) {
    if (session !== undefined) return drafts;
    throw invalidInput(
      'Specify draft IDs, or a session with --session.',
      'Nothing was changed. List staged drafts: holdfast drafts list',
    );
  }
  const wanted = words.map((word) => wholeNumber(word));
  const missing = wanted.find((draftId) => !drafts.some((one) => one.draftId === draftId));
  if (missing !== undefined) throw await notStaged(engine, missing);
  return wanted.flatMap((draftId) => drafts.filter((one) => one.draftId === draftId));
}

/**
 * With `--seen` the answer applies to what `drafts diff` showed, otherwise to the current state.
 */
function checkSeen(drafts: readonly DraftView[], run: Run): void {
  const seen = optional<string>(run, 'seen');
  if (run.options['overChanged'] === true && seen === undefined) {
    throw new HoldfastError('CONFIRMATION_NEEDED', '--over-changed needs --seen.', {
      hint: 'Nothing was changed. "holdfast drafts diff" shows the newer lines and the command that replaces them.',
    });
  }
  if (seen === undefined) return;
  const [draft] = drafts;
  const isSame =
    drafts.length === 1 && /^[0-9a-f]{12,64}$/.test(seen) && draft?.requestHash.startsWith(seen);
  if (isSame === true) return;
  throw new HoldfastError('REQUEST_STALE', 'The draft or the file has changed since you saw it.', {
    hint: 'Nothing was changed. See the difference: holdfast drafts diff',
  });
}

/** Changes of a draft as users number them, starting at 1. */
const CHANGES = /^\d{1,6}(?:-\d{1,6})?(?:,\d{1,6}(?:-\d{1,6})?)*$/;
/** Maximum number of changes that the contract accepts. */
const MAX_CHANGES = 4_000;

/**
 * `1,3-5`: numbers of changes as "drafts diff" shows them, starting at 1. The result counts from 0.
 * Pure. @throws INPUT_INVALID
 */
export function changeNumbers(text: string): readonly number[] {
  const plain = text.replaceAll(' ', '');
  const ranges = (CHANGES.test(plain) ? plain.split(',') : []).map((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return { first, last };
  });
  const isGood = ({ first, last }: { first: number; last: number }): boolean =>
    first >= 1 && last >= first && last <= MAX_CHANGES;
  if (ranges.length === 0 || !ranges.every(isGood))
    throw invalidInput(
      `"${inertLine(text)}" names no changes.`,
      'Nothing was changed. Write numbers that "holdfast drafts diff" shows: --only 1,3-5',
    );
  const all = ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at - 1),
  );
  return [...new Set(all)];
}

/** The changes that `--only` names, of one draft, as it was shown. */
function onlyOf(drafts: readonly DraftView[], run: Run): { readonly hunks?: number[] } {
  const only = optional<string>(run, 'only');
  if (only === undefined) return {};
  if (drafts.length !== 1 || optional<string>(run, 'seen') === undefined)
    throw new HoldfastError('CONFIRMATION_NEEDED', '--only needs one draft and --seen.', {
      hint: 'Nothing was changed. "holdfast drafts diff" shows the changes with their numbers, and the hash.',
    });
  return { hunks: [...changeNumbers(only)] };
}

async function apply(engine: Reach, run: Run, words: readonly string[]): Promise<Reply> {
  const drafts = await chosen(engine, run, words);
  checkSeen(drafts, run);
  const only = onlyOf(drafts, run);
  const overChanged = run.options['overChanged'] === true;
  const value: unknown[] = [];
  const lines: string[] = [];
  let exitCode: ExitCode = EXIT.ok;
  for (const { draftId, path, requestHash } of drafts) {
    try {
      const done = await engine.call('drafts.promote', {
        draftId,
        requestHash,
        ...(overChanged ? { overChanged } : {}),
        ...only,
      });
      value.push(done);
      const kept =
        done.keptHash === undefined
          ? ''
          : ` The previous file is saved in the data directory: drafts/kept/${done.keptHash.slice(0, 2)}/${done.keptHash}`;
      lines.push(
        done.outcome === 'settled'
          ? `${inertLine(path)}: the file already had this content.`
          : done.outcome === 'part'
            ? `${inertLine(path)}: these changes are applied, the others stay staged.${kept}`
            : `${inertLine(path)}: applied.${kept}`,
      );
    } catch (error) {
      const known = toHoldfastError(error);
      if (drafts.length === 1) throw known;
      value.push({ draftId, path, error: { code: known.code, message: known.message } });
      lines.push(`${inertLine(path)}: not applied. ${inertLine(known.message)}`);
      if (exitCode === EXIT.ok) exitCode = exitCodeOf(known.code);
    }
  }
  const text = lines.length === 0 ? 'No staged drafts.' : lines.join('\n');
  return { value: { results: value }, text, exitCode };
}

export function addDrafts(root: Command, program: Program): void {
  const drafts = root
    .command('drafts')
    .description('List, compare, apply and discard staged file changes of agents');
  asks(
    program,
    drafts
      .command('list')
      .description('List staged drafts with their status')
      .option('--session <session>', 'Only this session')
      .option('--decided', 'Only applied or discarded drafts'),
    'read',
    async (engine, run) => {
      const isDecided = run.options['decided'] === true;
      const value = await engine.call('drafts.list', {
        ...(isDecided ? { decided: true } : {}),
        ...where('session', optional<string>(run, 'session')),
      });
      return { value, text: listText(value.drafts, isDecided, run) || 'No drafts.' };
    },
  );
  asks(
    program,
    drafts
      .command('diff')
      .description('Show what applying a draft would change in its file')
      .argument('<draft>', 'Draft ID', wholeNumber),
    'read',
    calls('drafts.diff', (_run, word) => ({ draftId: Number(word) }), diffText),
  );
  asks(
    program,
    drafts
      .command('apply')
      .description('Apply drafts to their files, each whole or not at all')
      .argument('[drafts...]', 'Draft IDs')
      .option('--session <session>', 'All drafts of this session')
      .option('--only <changes>', 'Only these changes of one draft, such as 1,3-5; needs --seen')
      .option('--over-changed', 'Apply even if the file has changed since; needs --seen')
      .option('--seen <hash>', 'Only if it is still what "drafts diff" showed'),
    'decide',
    (engine, run, words = '') => apply(engine, run, words.split(' ').filter(Boolean)),
  );
  asks(
    program,
    drafts
      .command('restore')
      .description('Restore the file that an applied draft replaced, if it is unchanged since')
      .argument('<draft>', 'Draft ID', wholeNumber),
    'decide',
    async (engine, run, word) => {
      const { drafts: decided } = await engine.call('drafts.list', { decided: true, limit: 1000 });
      const found = decided.find(({ draftId }) => draftId === Number(word));
      if (found === undefined) {
        throw new HoldfastError(
          'DRAFT_UNKNOWN',
          `There is no applied or discarded draft ${word}.`,
          {
            hint: 'Nothing was changed. List them: holdfast drafts list --decided',
          },
        );
      }
      const { draftId, requestHash } = found;
      const value = await engine.call('drafts.restore', { draftId, requestHash });
      return {
        value,
        text: `${inertLine(value.path)}: the file from before draft ${String(draftId)} is restored. To undo: holdfast drafts restore ${String(value.draftId)}`,
      };
    },
  );
  asks(
    program,
    drafts
      .command('discard')
      .description('Discard drafts; their files stay unchanged')
      .argument('<drafts...>', 'Draft IDs')
      .option('--only <changes>', 'Only these changes of one draft, such as 1,3-5; needs --seen')
      .option('--seen <hash>', 'Only if it is still what "drafts diff" showed'),
    'decide',
    async (engine, run, words = '') => {
      const found = await chosen(engine, run, words.split(' ').filter(Boolean));
      checkSeen(found, run);
      const only = onlyOf(found, run);
      const discarded = [];
      for (const { draftId, requestHash } of found)
        discarded.push(await engine.call('drafts.discard', { draftId, requestHash, ...only }));
      const what = only.hunks === undefined ? 'draft discarded' : 'these changes are discarded';
      return {
        value: { discarded },
        text: discarded
          .map(({ path }) => `${inertLine(path)}: ${what}. The file is unchanged.`)
          .join('\n'),
      };
    },
  );
}
