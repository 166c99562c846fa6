/** Usage as a spreadsheet reads it: the command line and the window write the same lines. Pure. */
import type { UsageLine } from './types/gateway';

const CSV_FIELDS = [
  'day',
  'provider',
  'source',
  'client',
  'agent',
  'taskId',
  'account',
  'count',
  'remembered',
  'cut',
  'inputTokens',
  'outputTokens',
  'costUsd',
  'savedInputTokens',
  'savedOutputTokens',
  'savedUsd',
] as const satisfies readonly (keyof UsageLine)[];

/**
 * A value as RFC 4180 has it. One that a spreadsheet would take for a formula is text: a client may
 * have any name.
 */
function csvValue(value: string | number | undefined, oneLine: (text: string) => string): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const line = oneLine(value);
  const text = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The lines with a head. `oneLine` makes a name from outside inert, as the place of the text shows it. */
export const usageCsv = (lines: readonly UsageLine[], oneLine: (text: string) => string): string =>
  [
    CSV_FIELDS.join(','),
    ...lines.map((line) => CSV_FIELDS.map((field) => csvValue(line[field], oneLine)).join(',')),
  ].join('\n');
