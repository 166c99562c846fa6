import type {
  ExternalEvent,
  ExternalOption,
  ExternalToolKind,
  ExternalToolReport,
  ExternalToolStatus,
} from '../../ports/external-agent';
import type { JsonValue } from '../../ports/provider';
import { isTooDeep } from '../../engine/kernel/json-depth';
import { readRateLimit } from './read-rate-limit';

/** Maximum output stored per call. */
const OUTPUT_CHARS = 1_000_000;
const TITLE_CHARS = 500;
const FILE_CHARS = 4_096;
const MAX_FILES = 100;

const KINDS: readonly ExternalToolKind[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];
const STATUSES: readonly ExternalToolStatus[] = ['pending', 'in_progress', 'completed', 'failed'];
const OPTION_KINDS: readonly ExternalOption['kind'][] = [
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
];

type Record_ = Readonly<Record<string, unknown>>;
const record = (value: unknown): Record_ =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record_) : {};
const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
const oneOf = <T extends string>(all: readonly T[], value: unknown): T | undefined =>
  all.find((one) => one === value);

/**
 * Reads a `session/update` of any agent; unknown or malformed parts are dropped, nothing throws.
 * Pure.
 */
export function readUpdate(params: unknown): {
  readonly session: string;
  readonly event: ExternalEvent | undefined;
} {
  const { sessionId, update } = record(params);
  return { session: text(sessionId) ?? '', event: eventOf(record(update)) };
}

function eventOf(update: Record_): ExternalEvent | undefined {
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
      return { kind: 'text', text: blockText(update['content']) };
    case 'user_message_chunk':
      return { kind: 'user_text', text: blockText(update['content']) };
    case 'tool_call':
    case 'tool_call_update': {
      const report = readReport(update);
      if (report === undefined) return undefined;
      const isNew = update['sessionUpdate'] === 'tool_call' && !isEndOf(report);
      return { kind: 'tool', report: isNew ? { ...report, isNew } : report };
    }
    case 'usage_update': {
      const notice = readRateLimit(record(update['_meta'])['_claude/rateLimit']);
      if (notice !== undefined) return { kind: 'limit', notice };
      const { currency, amount } = record(update['cost']);
      // A negative cost would raise the limit of a turn.
      return currency === 'USD' && Number.isFinite(amount) && (amount as number) >= 0
        ? { kind: 'cost', costUsd: amount as number }
        : { kind: 'sign' };
    }
    // Thoughts, plans, titles, options, and kinds that later versions of the protocol add.
    default:
      return text(update['sessionUpdate']) === undefined ? undefined : { kind: 'sign' };
  }
}

const isEndOf = ({ status }: ExternalToolReport): boolean =>
  status === 'completed' || status === 'failed';

/** A tool call as far as this message describes it; undefined without an id. Pure. */
export function readReport(value: unknown): ExternalToolReport | undefined {
  const call = record(value);
  const callId = text(call['toolCallId']);
  if (callId === undefined || callId === '') return undefined;
  const kind = oneOf(KINDS, call['kind']);
  const status = oneOf(STATUSES, call['status']);
  const title = text(call['title']);
  const name = text(call['name']);
  const output = outputOf(call);
  const added = output === undefined ? terminalText(record(call['_meta'])) : undefined;
  const files = filesOf(call);
  return {
    callId: callId.slice(0, 500),
    ...(title === undefined ? {} : { title: title.slice(0, TITLE_CHARS) }),
    ...(name === undefined ? {} : { name: name.slice(0, 200) }),
    ...(kind === undefined ? {} : { kind }),
    ...(status === undefined ? {} : { status }),
    ...(call['rawInput'] === undefined || call['rawInput'] === null || isTooDeep(call['rawInput'])
      ? {}
      : { input: call['rawInput'] as JsonValue }),
    ...(output === undefined ? {} : { output }),
    ...(added === undefined ? {} : { added }),
    ...(files.length === 0 ? {} : { files }),
  };
}

/** Paths of the locations and of the diffs. Too many, or one too long, counts as outside. */
function filesOf(call: Record_): readonly string[] {
  const listed = [call['locations'], call['content']].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  );
  const paths = listed.flatMap((one) => {
    const path = text(record(one)['path']);
    return path === undefined ? [] : [path.length > FILE_CHARS ? '..' : path];
  });
  return paths.length > MAX_FILES ? [...paths.slice(0, MAX_FILES), '..'] : paths;
}

/** The options of a permission request, without unknown kinds. Pure. */
export function readOptions(value: unknown): readonly ExternalOption[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    const option = record(one);
    const id = text(option['optionId']);
    const kind = oneOf(OPTION_KINDS, option['kind']);
    return id === undefined || kind === undefined
      ? []
      : [{ id, kind, name: (text(option['name']) ?? '').slice(0, 200) }];
  });
}

const blockText = (content: unknown): string => {
  const block = record(content);
  return block['type'] === 'text' ? (text(block['text']) ?? '') : '';
};

/** The content, otherwise the raw output; undefined without either. */
function outputOf(call: Record_): string | undefined {
  const content = Array.isArray(call['content']) ? (call['content'] as readonly unknown[]) : [];
  const parts = content.map(partText).filter((part) => part !== '');
  const raw = call['rawOutput'];
  if (parts.length > 0) return cut(parts.join('\n'));
  if (raw === undefined || raw === null) return undefined;
  if (isTooDeep(raw)) return 'Its result is nested too deeply to be read.';
  return cut(typeof raw === 'string' ? raw : rawText(record(raw), raw));
}

/**
 * What a command printed since the last report, as Codex sends it: for a terminal that it takes us to
 * show, whether or not we offer one. Its end without any text is an empty one, and proves that it ran.
 */
function terminalText(meta: Record_): string | undefined {
  const printed = text(record(meta['terminal_output_delta'])['data']);
  const exit = meta['terminal_exit'];
  if (exit === undefined || exit === null) return printed;
  const code = record(exit)['exit_code'];
  const how = typeof code === 'number' && code !== 0 ? `\n[exit code ${String(code)}]` : '';
  return `${printed ?? ''}${how}`;
}

function rawText(object: Record_, raw: unknown): string {
  return text(object['output']) ?? text(object['stdout']) ?? JSON.stringify(raw) ?? '';
}

function partText(value: unknown): string {
  const part = record(value);
  if (part['type'] === 'content') return blockText(part['content']);
  if (part['type'] === 'diff') return `(changed ${text(part['path']) ?? 'a file'})`;
  return '';
}

const cut = (long: string): string =>
  long.length <= OUTPUT_CHARS
    ? long
    : `${long.slice(0, OUTPUT_CHARS)}\n[… ${String(long.length - OUTPUT_CHARS)} characters are left out]`;
