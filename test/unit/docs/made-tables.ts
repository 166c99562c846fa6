/** Tables of the documents, made from the code. */
import { read } from './project-docs';
import { z } from 'zod';
import { SETTINGS } from '../../../shared/settings';

interface Shape {
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What a person may write there. */
function valuesOf(schema: z.ZodType): string {
  const shape = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Shape;
  if (shape.enum !== undefined) return shape.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (shape.anyOf !== undefined) return 'duration';
  switch (shape.type) {
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number':
      return `${String(shape.minimum)} to ${String(shape.maximum)}`;
    case 'array':
      return 'list';
    case 'object':
      return 'by name';
    default:
      return 'text';
  }
}

/** Padded as Prettier pads it. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

export const settingsTable = (): string =>
  table([
    ['key', 'default', 'values', 'applies', 'meaning'],
    ...Object.entries(SETTINGS).map(([key, row]) => [
      `\`${key}\``,
      `\`${typeof row.default === 'string' ? row.default : JSON.stringify(row.default)}\``,
      valuesOf(row.schema),
      row.applies === 'hot' ? 'hot' : 'after a restart',
      row.about,
    ]),
  ]);

/** From the words behind each in the code. */
export const entriesTable = (): string =>
  table([
    ['kind', 'written by', 'says'],
    ...[
      ...read('electron/adapters/sqlite/journal/entry-codec.ts').matchAll(
        /^ {2}'([\w.]+)': \d+, \/\/ ([^:]+): (.+)$/gm,
      ),
    ].map(([, kind = '', owners = '', says = '']) => [`\`${kind}\``, owners, says]),
  ]);

export const crashPointsTable = (): string =>
  table([
    ['point', 'the process dies'],
    ...[
      ...read('electron/engine/kernel/crash-points.ts').matchAll(/^ {2}'([\w.]+)', \/\/ (.+)$/gm),
    ].map(([, point = '', dies = '']) => [`\`${point}\``, dies]),
  ]);
