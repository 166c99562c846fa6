/** `holdfast sessions activity`, and the text of one activity. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { ActivationKind } from '../../../shared/activations';
import { ACTIVATION_KINDS } from '../../../shared/activations';
import type { VerbInput } from '../../../shared/contract';
import type { ActivationEvent } from '../../../shared/types/work';
import { invalidInput } from '../../engine/kernel/errors';
import type { Program, Run } from '../command';
import { asks, groupOf, list, optional, where, wholeNumber, withOldNames } from '../command';
import { followEngine } from '../follow-engine';
import type { Reach } from '../reach';
import { facts, ifKnown, inertLine, joinParts } from '../render';

/** @throws INPUT_INVALID with the names that are accepted. S3-33 */
function kindList(words: readonly string[]): ActivationKind[] {
  return (words.length === 0 ? [''] : words).map((word) => {
    const known = ACTIVATION_KINDS.find((kind) => kind === word);
    if (known !== undefined) return known;
    throw invalidInput(
      `There is no kind "${word.slice(0, 40)}".`,
      `Accepted, separated by commas: ${ACTIVATION_KINDS.join(', ')}.`,
    );
  });
}

/** Why it is so, in one line. */
function whyOf(event: ActivationEvent): string {
  const parts = [
    event.stopReason,
    event.blockedReason,
    event.abandonReason,
    event.errorMessage,
    ifKnown(event.immediateRetryAt, (at) => `retry at ${at}`),
    event.reason,
  ];
  return joinParts([...new Set(parts)], ', ');
}

/** One row of the list. */
export function activationRow(event: ActivationEvent, run: Run): string[] {
  return [
    String(event.seq),
    run.when(Date.parse(event.createdAt)),
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
  const line = (value: string | undefined): string | undefined =>
    value === undefined || value === '' ? undefined : inertLine(value);
  const rows = facts([
    ['session', inertLine(event.session)],
    ['agent', inertLine(event.agentId)],
    ['turn', ifKnown(event.turnId, (id) => `${String(id)}, attempt ${String(event.attempt)}`)],
    ['started by', `${event.activationKind}, ${event.priority}`],
    ['claim', line(event.claimId)],
    ['worker', line(event.leaseOwner)],
    ['note', line(event.note)],
    ['reason', line(whyOf(event))],
  ]);
  return `${event.createdAt} ${event.kind}\n${rows}`;
}

/** Maximum number of entries per read. */
const PAGE = 1000;

/** The query without its paging. */
type Wanted = Omit<VerbInput<'activations.events'>, 'afterSeq' | 'limit'>;

/** Prints new entries until the command is ended. */
function watchActivations(first: Reach, run: Run, wanted: Wanted, fromSeq: number): Promise<void> {
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

/** Added to the group `sessions`. */
export function addActivity(root: Command, program: Program): void {
  const sessions = groupOf(root, 'sessions');
  asks(
    program,
    withOldNames(
      sessions
        .command('activity')
        .description('List the activity log of sessions, oldest first')
        .option('--session <session>', 'Only this session')
        .option('--claim <claim>', 'Only this claim')
        .option(
          '--kind <kinds>',
          `Only these kinds, comma-separated: ${ACTIVATION_KINDS.join(', ')}`,
          list,
        )
        .option('--limit <n>', 'Maximum number of results (default 50)', wholeNumber),
      new Option('-f, --follow', 'Keep printing new entries'),
      '--watch',
    ),
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
      const head = ['SEQ', 'WHEN', 'KIND', 'SESSION', 'TURN', 'STARTED BY', 'CLAIM', 'REASON'];
      const text = run.table(head, rows) || 'No activity.';
      if (optional<boolean>(run, 'follow') !== true || !engine.isRunning) return { value, text };
      if (run.isJson) for (const event of value.events) run.emit(event, '');
      else run.emit(value, text);
      await watchActivations(engine, run, wanted, value.events.at(-1)?.seq ?? 0);
      return { value: undefined, text: '' };
    },
  );
}
