/** Tables of the documents, made from the code. */
import { read } from './project-docs';
import { z } from 'zod';
import { AGENT_SETTINGS } from '../../../shared/settings/agents';
import { APP_SETTINGS } from '../../../shared/settings/app';
import { BUDGET_SETTINGS } from '../../../shared/settings/budgets';
import { SHARE_SETTINGS } from '../../../shared/settings/share';
import { POWER_SETTINGS } from '../../../shared/settings/power';
import type { SettingRow } from '../../../shared/settings/base';
import { CHANNEL_SETTINGS } from '../../../shared/settings/channels';
import { DELIVERY_SETTINGS } from '../../../shared/settings/delivery';
import { MCP_SETTINGS } from '../../../shared/settings/mcp';
import { OUTAGE_SETTINGS } from '../../../shared/settings/outages';
import { PROVIDER_SETTINGS } from '../../../shared/settings/providers';
import { RECOVERY_SETTINGS } from '../../../shared/settings/recovery';
import { REMINDER_SETTINGS } from '../../../shared/settings/reminders';
import { SCHEDULE_SETTINGS } from '../../../shared/settings/schedule';
import { TOOL_SETTINGS } from '../../../shared/settings/tools';
import { UPDATE_SETTINGS } from '../../../shared/settings/updates';
import { WORK_SETTINGS } from '../../../shared/settings/work';

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

/** Text that is safe in a table cell: no bar, no tag, one line. */
export const cell = (text: string): string =>
  text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
    .replace(/<(?=\w)/g, '\\<');

/** Padded as Prettier pads it. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const widths = head.map((_, column) =>
    Math.max(3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

/** Families in the order of the page, with the heading of each. */
const FAMILIES: readonly (readonly [
  heading: string,
  rows: Readonly<Record<string, SettingRow>>,
])[] = [
  ['Recovery', RECOVERY_SETTINGS],
  ['Outages, retries, and circuit breakers', OUTAGE_SETTINGS],
  ['Schedules', SCHEDULE_SETTINGS],
  ['Limits and work', WORK_SETTINGS],
  ['Tools and approvals', TOOL_SETTINGS],
  ['MCP servers', MCP_SETTINGS],
  ['Agents', AGENT_SETTINGS],
  ['Providers and gateway', PROVIDER_SETTINGS],
  ['Channels', CHANNEL_SETTINGS],
  ['Reminders and digest', REMINDER_SETTINGS],
  ['Events', DELIVERY_SETTINGS],
  ['App, notifications, and monitoring', APP_SETTINGS],
  ['Keeping the computer awake', POWER_SETTINGS],
  ['Budgets', BUDGET_SETTINGS],
  ['Shared work', SHARE_SETTINGS],
  ['Updates', UPDATE_SETTINGS],
];

export const settingsCount = (): number =>
  FAMILIES.reduce((count, [, rows]) => count + Object.keys(rows).length, 0);

export const settingsTable = (): string =>
  FAMILIES.map(
    ([heading, rows]) =>
      `## ${heading}\n\n${table([
        ['key', 'default', 'values', 'applies', 'meaning'],
        ...Object.entries(rows).map(([key, row]) => [
          `\`${key}\``,
          // An empty text would be an empty code span, which is none.
          row.default === ''
            ? 'empty'
            : `\`${typeof row.default === 'string' ? row.default : JSON.stringify(row.default)}\``,
          valuesOf(row.schema),
          row.applies === 'hot' ? 'immediately' : 'after a restart',
          cell(row.about),
        ]),
      ])}`,
  ).join('\n\n');

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
