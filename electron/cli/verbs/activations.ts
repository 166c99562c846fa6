/** `holdfast activations events`, and the text of one activity. */
import type { Command } from 'commander';
import { ACTIVATION_KINDS, type ActivationKind } from '../../../shared/activations';
import type { ActivationEvent } from '../../../shared/types/work';
import { HoldfastError } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, list, optional, where, wholeNumber } from '../command';
import { followEngine } from '../follow-engine';
import type { Reach } from '../reach';
import { facts, inertLine, whenText } from '../render';

/** @throws INPUT_INVALID with the names that are accepted. S3-33 */
function kindList(words: readonly string[]): ActivationKind[] {
  return (words.length === 0 ? [''] : words).map((word) => {
    const known = ACTIVATION_KINDS.find((kind) => kind === word);
    if (known !== undefined) return known;
    throw new HoldfastError('INPUT_INVALID', `There is no kind "${word.slice(0, 40)}".`, {
      hint: `Accepted, separated by commas: ${ACTIVATION_KINDS.join(', ')}.`,
    });
  });
}

/** Why it is so, in one line. */
function whyOf(event: ActivationEvent): string {
  const parts = [
    event.stopReason,
    event.blockedReason,
    event.abandonReason,
    event.errorMessage,
    event.immediateRetryAt === undefined ? undefined : `again at ${event.immediateRetryAt}`,
    event.reason,
  ];
  return [...new Set(parts.filter((part) => part !== undefined && part !== ''))].join(', ');
}

/** One row of the list. */
export function activationRow(event: ActivationEvent, run: Run): string[] {
  return [
    String(event.seq),
    whenText(Date.parse(event.createdAt), run.nowMs),
    event.kind,
    inertLine(event.session),
    event.turnId === undefined ? '-' : String(event.turnId),
    event.activationKind,
    inertLine(event.claimId ?? '-').slice(0, 13),
    inertLine(whyOf(event)),
  ];
}

/** A block of one activity, as the orchestrator prints it. S3-34 */
export function activationBlock(event: ActivationEvent): string {
  const rows: [string, string][] = [
    ['session', inertLine(event.session)],
    ['agent', inertLine(event.agentId)],
    ...(event.turnId === undefined
      ? []
      : ([['turn', `${String(event.turnId)}, run ${String(event.attempt)}`]] as [
          string,
          string,
        ][])),
    ['woken by', `${event.activationKind}, ${event.priority}`],
  ];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') rows.push([name, inertLine(value)]);
  };
  add('claim', event.claimId);
  add('worker', event.leaseOwner);
  add('note', event.note);
  add('why', whyOf(event));
  return `${event.createdAt} ${event.kind}\n${facts(rows)}`;
}

/** Entries of one look. */
const PAGE = 1000;

/** What is asked for, without the paging. */
interface Wanted {
  readonly session?: string;
  readonly claimId?: string;
  readonly kinds?: ActivationKind[];
}

/** Prints new entries until the command is ended. */
function watch(first: Reach, run: Run, wanted: Wanted, fromSeq: number): Promise<void> {
  let afterSeq = fromSeq;
  return followEngine(first, run, async (engine) => {
    const { events } = await engine.call('activations.events', {
      ...wanted,
      afterSeq,
      limit: PAGE,
    });
    for (const event of events) {
      afterSeq = event.seq;
      run.emit(event, activationRow(event, run).join('  '));
    }
    return events.length === PAGE;
  });
}

export function addActivations(root: Command, program: Program): void {
  const activations = root
    .command('activations')
    .description('Wakes of sessions: who ran what, and how it ended');

  asks(
    program,
    activations
      .command('events')
      .description('the history, oldest first: ready, leased, blocked, acked, requeued, abandoned')
      .option('--session <session>', 'only of this session')
      .option('--claim <claim>', 'only of this claim')
      .option('--kind <kinds>', 'only these, separated by commas', list)
      .option('--limit <n>', 'the last n (default 50)', wholeNumber)
      .option('--watch', 'go on with new ones'),
    'read',
    async (engine, run) => {
      const kinds = optional<string[]>(run, 'kind');
      const wanted: Wanted = {
        ...where('session', optional<string>(run, 'session')),
        ...where('claimId', optional<string>(run, 'claim')),
        ...where('kinds', kinds === undefined ? undefined : kindList(kinds)),
      };
      const value = await engine.call('activations.events', {
        ...wanted,
        limit: optional<number>(run, 'limit') ?? 50,
      });
      const rows = value.events.map((event) => activationRow(event, run));
      const head = ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'WOKEN BY', 'CLAIM', 'WHY'];
      const text = run.table(head, rows) || 'No activations.';
      if (optional<boolean>(run, 'watch') !== true || !engine.isRunning) return { value, text };
      if (run.isJson) for (const event of value.events) run.emit(event, '');
      else run.emit(value, text);
      await watch(engine, run, wanted, value.events.at(-1)?.seq ?? 0);
      return { value: undefined, text: '' };
    },
  );
}
