/** `holdfast events list`, `holdfast day` */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { VerbOutput } from '../../../shared/contract';
import type { Program, Run } from '../command';
import { asks, list, optional, where, wholeNumber } from '../command';
import { countText, inertLine, spanText, whenText } from '../render';

type Events = VerbOutput<'events.list'>;
type Day = VerbOutput<'day.line'>;

function source(text: string): 'journal' | 'audit' {
  if (text === 'journal' || text === 'audit') return text;
  throw new InvalidArgumentError('It must be journal or audit.');
}

function eventsText(value: Events, run: Run): string {
  const rows = value.events.map((event) => [
    run.paint('quiet', new Date(event.atMs).toISOString().slice(0, 19).replace('T', ' ')),
    inertLine(event.kind),
    event.turnId === undefined ? '-' : String(event.turnId),
    inertLine(event.words),
  ]);
  const shown = run.table(['WHEN (UTC)', 'KIND', 'TURN', 'WHAT'], rows) || 'No events.';
  if (value.nextBefore === undefined) return shown;
  const back =
    value.searchedBackToMs === undefined
      ? 'Older ones'
      : `Searched back to ${new Date(value.searchedBackToMs).toISOString()}; go on`;
  return `${shown}\n${back}: --before ${value.nextBefore}`;
}

/** One line an hour: what was finished, and what interrupted it. */
function dayText(day: Day, run: Run): string {
  const perHour = 3_600_000 / day.slotMs;
  const rows: string[][] = [];
  for (let at = 0; at < day.steps.length; at += perHour) {
    const fromMs = day.fromMs + at * day.slotMs;
    const toMs = fromMs + 3_600_000;
    const steps = day.steps.slice(at, at + perHour).reduce((sum, one) => sum + one, 0);
    const inHour = day.stretches.filter((one) => one.fromMs < toMs && one.toMs > fromMs);
    const kinds = [...new Set(inHour.map((one) => one.kind))];
    const stops = day.stops.filter((stop) => stop.atMs >= fromMs && stop.atMs < toMs);
    rows.push([
      new Date(fromMs).toISOString().slice(0, 16).replace('T', ' '),
      String(steps),
      kinds.join(', ') || '-',
      stops
        .map(
          (stop) =>
            `${stop.reason.replaceAll('_', ' ')}, down ${spanText(stop.backAtMs - stop.atMs)}`,
        )
        .join('; ') || '-',
    ]);
  }
  const steps = day.steps.reduce((sum, one) => sum + one, 0);
  return [
    `${countText(steps, 'step')} finished in the last 24 hours, ${countText(day.turnsFinishedToday, 'turn')} today. ${
      day.stops.length === 0
        ? 'No unexpected stop.'
        : `${countText(day.stops.length, 'unexpected stop')}, the last ${whenText(day.stops.at(-1)?.atMs, run.nowMs)}.`
    }`,
    run.table(['HOUR FROM (UTC)', 'STEPS', 'HOLDFAST', 'UNEXPECTED STOPS'], rows),
  ].join('\n');
}

export function addEvents(root: Command, program: Program): void {
  const events = root.command('events').description('What happened: the journal and the audit');

  asks(
    program,
    events
      .command('list')
      .description('the journal or the audit in words, newest first')
      .option('--source <source>', 'journal or audit (default journal)', source)
      .option('--kind <kinds>', 'only these, separated by commas', list)
      .option('--turn <turn>', 'only of this turn', wholeNumber)
      .option('--session <id>', 'only of the session with this number', wholeNumber)
      .option('--text <text>', 'only with these words')
      .option('--limit <n>', 'at most this many, up to 500 (default 50)', wholeNumber)
      .option('--before <place>', 'older than this, as the answer before says'),
    'read',
    async (engine, run) => {
      const value = await engine.call('events.list', {
        ...where('source', optional<'journal' | 'audit'>(run, 'source')),
        ...where('kinds', optional<string[]>(run, 'kind')),
        ...where('turnId', optional<number>(run, 'turn')),
        ...where('sessionId', optional<number>(run, 'session')),
        ...where('text', optional<string>(run, 'text')),
        ...where('before', optional<string>(run, 'before')),
        limit: optional<number>(run, 'limit') ?? 50,
      });
      return { value, text: eventsText(value, run) };
    },
  );

  asks(
    program,
    root.command('day').description('the last 24 hours: finished steps and unexpected stops'),
    'read',
    async (engine, run) => {
      const value = await engine.call('day.line', {});
      return { value, text: dayText(value, run) };
    },
  );
}
