/** `holdfast search` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import { parseDuration } from '../../../shared/durations';
import { TURN_STATES, type TurnState } from '../../../shared/states';
import type { Program, Run } from '../command';
import { asks, calls, optional, plainNumber, where, wholeNumber } from '../command';
import { countText, ifKnown, inertLine, joinParts } from '../render';

type SearchAnswer = VerbOutput<'search.find'>;

/** `7d` or a date: how long ago, or when. */
function moment(text: string): { readonly agoMs: number } | { readonly atMs: number } {
  const span = parseDuration(text);
  if (span.ok) return { agoMs: span.ms };
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw new InvalidArgumentError('It must be like 7d or 2026-11-01.');
  return { atMs };
}

function state(text: string): TurnState {
  const found = TURN_STATES.find((one) => one === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be ${TURN_STATES.join(', ')}.`);
  return found;
}

function foundText({ hits, nextBefore, notIndexed }: SearchAnswer, run: Run): string {
  const rows = hits.map((hit) => [
    run.paint('quiet', run.when(hit.atMs)),
    hit.turnId === undefined ? '-' : String(hit.turnId),
    hit.step === undefined ? '-' : String(hit.step),
    inertLine(hit.session),
    inertLine(hit.tool === undefined ? hit.part : `${hit.part} ${hit.tool}`),
    inertLine(hit.excerpt),
  ]);
  const columns = ['WHEN', 'TURN', 'STEP', 'SESSION', 'PART', 'TEXT'];
  return joinParts([
    run.table(columns, rows) || 'No matches.',
    ifKnown(nextBefore, (cursor) => `Older matches: --cursor ${String(cursor)}`),
    notIndexed === 0
      ? undefined
      : `${countText(notIndexed, 'entry', 'entries')} of the journal not searched yet.`,
  ]);
}

const momentOf = (run: Run, name: string): number | undefined => {
  const given = optional<ReturnType<typeof moment>>(run, name);
  if (given === undefined) return undefined;
  return 'atMs' in given ? given.atMs : Math.max(0, run.io.nowMs() - given.agoMs);
};

export function addSearch(root: Command, program: Program): void {
  asks(
    program,
    root
      .command('search')
      .description('Find words in prompts, answers, tool calls, results, reasons and titles')
      .argument('<words...>', 'Words that must all occur; quote phrases')
      .option('--agent <agent>', 'Only this agent')
      .option('--session <session>', 'Only this session (ID or name)')
      .option('--state <state>', 'Only turns in this state', state)
      .option('--tool <tool>', 'Only calls of this tool and their results')
      .option('--file <path>', 'Only texts that name this file or folder')
      .option('--min-cost <usd>', 'Only turns that cost at least this much', plainNumber)
      .option('--since <when>', 'Start of the time range: 7d or 2026-11-01', moment)
      .option('--until <when>', 'End of the time range', moment)
      .option('--limit <n>', 'Maximum number of results, up to 500 (default 20)', wholeNumber)
      .option(
        '--cursor <cursor>',
        'Only older matches: the cursor from the previous output',
        wholeNumber,
      ),
    'read',
    calls(
      'search.find',
      (run, ...words) => ({
        words: (words as unknown as readonly string[]).flat().join(' ').trim(),
        ...where('agent', optional<string>(run, 'agent')),
        ...where('session', optional<string>(run, 'session')),
        ...where('state', optional<TurnState>(run, 'state')),
        ...where('tool', optional<string>(run, 'tool')),
        ...where('file', optional<string>(run, 'file')),
        ...where('minCostUsd', optional<number>(run, 'minCost')),
        ...where('sinceMs', momentOf(run, 'since')),
        ...where('untilMs', momentOf(run, 'until')),
        ...where('before', optional<number>(run, 'cursor')),
        limit: optional<number>(run, 'limit') ?? 20,
      }),
      foundText,
    ),
  );
}
