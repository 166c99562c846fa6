import { folderOfCall, isFolderField } from '../../../../shared/call-folder';
import { cutText } from '../../../../shared/cut-text';
import type { Purity } from '../../../../shared/types';
import { hostOfAgent } from '../../../../shared/own-hosts';
import { wholeCommand } from '../../../../shared/questions/shell-line';
import { qualifiedName, servedReadings, spelledName } from '../../../../shared/tool-id';
import type {
  ExternalOption,
  ExternalToolKind,
  ExternalToolReport,
  ExternalToolStatus,
} from '../../../ports/external-agent';
import type { JsonValue } from '../../../ports/provider';
import type { CallRisk } from '../../../ports/tool-call';
import { canonicalJson } from '../../kernel/canonical';
import { editRisk, filesOfInput, riskWhereRun } from '../program/edit-risk';

/** Everything that the agent reported about one of its calls. */
export interface CallState {
  readonly callId: string;
  readonly title: string;
  readonly name: string | undefined;
  readonly kind: ExternalToolKind;
  readonly status: ExternalToolStatus;
  readonly input: JsonValue | undefined;
  readonly output: string | undefined;
  /** Files that the agent reported, in addition to those in its input. */
  readonly files: readonly string[];
}

const RANK: Readonly<Record<ExternalToolStatus, number>> = {
  pending: 0,
  in_progress: 1,
  failed: 2,
  completed: 3,
};

/**
 * The call's state after one more report: later values win, but a status never goes back and no
 * value is lost. Agents send reports about one call in any order.
 */
export function mergeReport(known: CallState | undefined, report: ExternalToolReport): CallState {
  const status = report.status ?? known?.status ?? 'pending';
  return {
    callId: report.callId,
    title: report.title ?? known?.title ?? '',
    name: report.name ?? known?.name,
    kind: report.kind ?? known?.kind ?? 'other',
    status: known !== undefined && RANK[known.status] > RANK[status] ? known.status : status,
    input: report.input ?? known?.input,
    output: report.output ?? withAdded(known?.output, report.added),
    files: [...new Set([...(known?.files ?? []), ...(report.files ?? [])])],
  };
}

/** Maximum output stored per call that comes in parts. */
const OUTPUT_CHARS = 1_000_000;

function withAdded(known: string | undefined, added: string | undefined): string | undefined {
  if (added === undefined || (known?.length ?? 0) >= OUTPUT_CHARS) return known;
  return `${known ?? ''}${added}`.slice(0, OUTPUT_CHARS);
}

/** Reads change nothing; anything not known to be a read counts as an effect (S4-20, S4-32). */
export function purityOfKind(kind: ExternalToolKind): Purity {
  switch (kind) {
    case 'read':
    case 'search':
    case 'think':
    case 'fetch':
      return 'world';
    case 'edit':
    case 'delete':
    case 'move':
    case 'execute':
    case 'switch_mode':
    case 'other':
      return 'side_effect';
  }
}

/** Names of agents' built-in actions: no server tool is one of these. */
const OWN_KINDS: ReadonlySet<string> = new Set([
  ...['shell', 'prompt', 'read', 'search', 'think', 'fetch', 'edit', 'delete', 'move'],
  ...['execute', 'switch_mode', 'other'],
]);

/** Prefix that agents put before a server's name. */
const SERVED = /^mcp(?:__|\/)/;

type CallName = Pick<CallState, 'name' | 'title'>;

const readingsOf = (call: CallName) =>
  servedReadings((call.name ?? call.title).replace(SERVED, ''), /^(?:__|\/)/);

/**
 * The parts of a tool name as the agent reports it: tool and server. A name that can be split in
 * more than one place stays whole, because it may be the tool of either server.
 */
function reported(call: CallName): { readonly plain: string; readonly server: string } {
  const name = call.name ?? call.title;
  const [read, ...others] = readingsOf(call);
  const isServed = read !== undefined && others.length === 0;
  const plain = isServed ? read.name : name;
  const prefix = SERVED.test(name) ? 'mcp/' : '';
  const isName = /^[\w/-]{1,100}$/.test(plain);
  return {
    plain: isName ? plain : '',
    server: isServed ? `${prefix}${read.host}` : isName || read === undefined ? '' : name,
  };
}

/** Tools that a name may also mean: a rule that restricts one of them restricts the call. */
export function mayBeTools(
  agent: string,
  call: Pick<CallState, 'kind' | 'name' | 'title'>,
): readonly string[] {
  const isOther = call.kind === 'other';
  // What an agent calls a command or an edit may still be a server's tool.
  const read = isOther || SERVED.test(call.name ?? call.title) ? readingsOf(call) : [];
  return read.flatMap(({ host, name }) => [
    // A rule for a server restricts its tools, whichever agent calls them.
    qualifiedName(host, name),
    ...(read.length > 1 || !isOther ? [toolOf(agent, { kind: 'other', name, title: '' })] : []),
  ]);
}

/**
 * The name for rules and the side-effect list: `<agent>.shell` for commands, so that an entry for
 * `shell` applies; `<agent>.send_email` for an MCP server's tool, which agents report as `other`
 * with its name; otherwise `<agent>.<kind>`. A server tool named like a built-in action gets a
 * different name, so no rule covers both.
 */
export function toolOf(agent: string, call: Pick<CallState, 'kind' | 'name' | 'title'>): string {
  const host = hostOfAgent(agent);
  if (call.kind === 'execute') return `${host}.shell`;
  if (call.kind !== 'other') return `${host}.${call.kind}`;
  const { plain } = reported(call);
  if (plain === '') return `${host}.other`;
  return `${host}.${OWN_KINDS.has(plain) ? `tool/${plain}` : plain}`;
}

/** The command line of a call that runs one; undefined if the call does not show it. */
export const commandOf = (call: Pick<CallState, 'kind' | 'input'>): string | undefined =>
  call.kind === 'execute' ? wholeCommand(call.input) : undefined;

/** False only if a call is known to change nothing: commands are judged by their text. */
export function hasEffects(
  call: Pick<CallState, 'kind' | 'input'>,
  commandHasEffects: (command: string) => boolean,
): boolean {
  const command = commandOf(call);
  return command === undefined
    ? purityOfKind(call.kind) === 'side_effect'
    : commandHasEffects(command);
}

/** The call as the request states it; the rest comes from earlier reports. */
export function asAsked(known: CallState, report: ExternalToolReport): CallState {
  return {
    ...known,
    ...(report.input === undefined ? {} : { input: report.input }),
    ...(report.title === undefined ? {} : { title: report.title }),
    ...(report.kind === undefined ? {} : { kind: report.kind }),
    files: [...new Set([...known.files, ...(report.files ?? [])])],
  };
}

/** Fields of a command's input that do not change what it does, or that differ in each message. */
const PASSING = new Set(['description', 'timeout', 'call_id', 'turn_id', 'approval_id']);

/**
 * What an answer to a call is for: its tool and server, and its whole input. A folder that is not
 * named is the workspace. The text to hash. Source: S3-07.
 */
export function askedText(
  agent: string,
  call: Pick<CallState, 'kind' | 'input' | 'name' | 'title' | 'files'>,
  workspace: string,
): string {
  const { kind, input = null } = call;
  const command = commandOf(call);
  const isCommand = command !== undefined;
  const name = call.name ?? call.title;
  const isServed = readingsOf(call).length > 0 && /^[\w./-]+$/.test(name) && name !== command;
  const isAtHome = kind !== 'other' && !isServed && folderOfCall(input, workspace) === workspace;
  const isTold = ([field, value]: readonly [string, JsonValue]): boolean =>
    !(isAtHome && isFolderField(field) && typeof value !== 'boolean') &&
    !(isCommand && !isServed && PASSING.has(field));
  return canonicalJson({
    tool: toolOf(agent, call),
    // A command's title is its own text, or what it is for.
    name: isCommand && !isServed ? (call.name ?? '') : name,
    input:
      input === null || typeof input !== 'object' || Array.isArray(input)
        ? input
        : Object.fromEntries(Object.entries(input).filter(isTold)),
    files: isCommand ? [] : call.files.toSorted(),
  });
}

/** Input fields that say where and why, not what. */
const ASIDE = new Set(['cwd', 'description', 'timeout', 'workdir']);

/**
 * The identity of a call: kind and input without fields that vary between messages, or the title if
 * there is no input. The text to hash.
 */
export function identityText(call: Pick<CallState, 'kind' | 'input' | 'title'>): string {
  const command = commandOf(call);
  if (command !== undefined) return `execute\n${command}`;
  const { input } = call;
  if (input === undefined || input === null || typeof input !== 'object')
    return `${call.kind}\n${input === undefined || input === null ? call.title : canonicalJson(input)}`;
  if (Array.isArray(input)) return `${call.kind}\n${canonicalJson(input)}`;
  const told = Object.entries(input).filter(([name]) => !ASIDE.has(name));
  return told.length === 0
    ? `${call.kind}\n${call.title}`
    : `${call.kind}\n${canonicalJson(Object.fromEntries(told))}`;
}

/** One line for lists. */
export const hintOfCall = (call: Pick<CallState, 'kind' | 'input' | 'title' | 'name'>): string =>
  cutText(
    (commandOf(call) ?? (call.title === '' ? (call.name ?? call.kind) : call.title)).replaceAll(
      /\s+/g,
      ' ',
    ),
    300,
  );

/** The risk of a call: commands are judged by their text, and missing details count as risk. */
export function riskOfCall(
  call: Pick<CallState, 'kind' | 'input' | 'name' | 'title' | 'files'>,
  commandRisk: (command: string) => CallRisk,
  workspace: string,
): CallRisk {
  const risky = (reason: string, covers = ''): CallRisk => ({ isRisky: true, reason, covers });
  switch (call.kind) {
    case 'execute': {
      const command = commandOf(call);
      return command === undefined
        ? risky('The agent does not report which command it runs.')
        : riskWhereRun(commandRisk(command), { command, input: call.input }, workspace);
    }
    case 'delete':
      return risky('It deletes something.');
    case 'other': {
      // Two servers of an agent may have a tool of the same name: permission covers only one.
      const { server } = reported(call);
      const of = server === '' ? '' : `of ${spelledName(server).slice(0, 80)}`;
      return risky('Holdfast does not know what this tool call does.', of);
    }
    case 'switch_mode':
      return risky('Holdfast does not know what this tool call does.');
    case 'edit':
    case 'move':
      return editRisk([...call.files, ...filesOfInput(call.input)], workspace, call.input);
    case 'read':
    case 'search':
    case 'think':
    case 'fetch':
      return { isRisky: false, reason: '', covers: '' };
  }
}

/**
 * Picks the agent's option by its meaning, because option IDs are agent-specific. Always allows
 * once only: the agent asks again next time and the rules answer.
 */
export function chooseOption(
  options: readonly ExternalOption[],
  isAllowed: boolean,
): string | undefined {
  const kinds = isAllowed
    ? (['allow_once', 'allow_always'] as const)
    : (['reject_once', 'reject_always'] as const);
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind);
    if (found !== undefined) return found.id;
  }
  return undefined;
}
