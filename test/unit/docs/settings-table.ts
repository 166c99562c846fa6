/** The settings table of README.md, made from the schema. */
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

export const SETTINGS_HEAD = ['key', 'default', 'values', 'applies', 'meaning'];

export function settingsRows(): string[][] {
  return Object.entries(SETTINGS).map(([key, row]) => [
    `\`${key}\``,
    `\`${typeof row.default === 'string' ? row.default : JSON.stringify(row.default)}\``,
    valuesOf(row.schema),
    row.applies === 'hot' ? 'hot' : 'after a restart',
    row.about,
  ]);
}

/** Padded as Prettier pads it. */
export function settingsTable(): string {
  const rows = [SETTINGS_HEAD, ...settingsRows()];
  const widths = SETTINGS_HEAD.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
