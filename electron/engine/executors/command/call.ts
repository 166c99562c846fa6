import { cutText } from '../../../../shared/cut-text';
import { editRisk, isInside, riskWhereRun } from '../program/edit-risk';
import type { Purity } from '../../../../shared/types';
import { isForeignHost } from '../../../../shared/own-hosts';
import { qualifiedName, servedReadings } from '../../../../shared/tool-id';
import type { ExternalToolKind } from '../../../ports/external-agent';
import type { JsonValue } from '../../../ports/provider';
import type { CallRisk } from '../../../ports/tool-call';
import { table } from '../../../../shared/table';

/** A call of the program's built-in tools. */
export interface CommandCall {
  /** `claude.shell`: the name in the journal, in rules and in the side-effect list. */
  readonly tool: string;
  /** Tools that its name may also mean: what restricts one of them restricts this. */
  readonly mayBe: readonly string[];
  readonly purity: Purity;
  readonly kind: ExternalToolKind;
  readonly hasEffects: boolean;
  readonly isWorkspaceRead: boolean;
  readonly risk: CallRisk;
  /** One line for lists, at most 200 characters. */
  readonly hint: string;
}

/** Verdicts about a shell command, from the same parser that judges the built-in shell. */
export interface ShellVerdicts {
  readonly hasEffects: (command: string) => boolean;
  readonly riskOf: (command: string) => CallRisk;
  /** Why a declared shell tool may not run this command, if so (S1-29). */
  readonly refusedIn: (qualifiedTool: string, input: JsonValue) => string | undefined;
}

const SAFE: CallRisk = { isRisky: false, reason: '', covers: '' };
/** Only think, plan or look at the program's own state: nothing to journal. */
const INNER = new Set(
  (
    'TodoWrite TodoRead Task Agent TaskCreate TaskGet TaskList TaskUpdate TaskOutput BashOutput ' +
    'ToolSearch Skill ExitPlanMode EnterPlanMode AskUserQuestion ReportFindings StructuredOutput'
  ).split(' '),
);
const READS = table<ExternalToolKind>({
  Read: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'read',
  NotebookRead: 'read',
  ListMcpResourcesTool: 'read',
  ReadMcpResourceTool: 'read',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
});
const EDITS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** What the names of its MCP servers' tools begin with: rules name these by the server. S0-13. */
const SERVED = 'mcp__';

/** Its tool that runs commands; in the journal it is `shell`, like that of every other agent. */
const SHELL = 'Bash';

/**
 * What a Claude Code call does, by tool name; undefined for tools that only touch its own plan. An
 * unknown tool counts as an effect and needs approval. Pure. S4-20.
 */
export function claudeCall(
  name: string,
  input: JsonValue,
  facts: CallFacts,
): CommandCall | undefined {
  if (INNER.has(name)) return undefined;
  const named = toolOf(name, facts.agentHosts);
  const kind = READS[name];
  if (kind !== undefined) return { ...named, ...readCall(kind, input, facts) };
  if (name === SHELL) return { ...named, ...shellCall(input, facts) };
  if (EDITS.has(name)) return { ...named, ...editCall(input, facts) };
  return { ...named, ...unknownCall(named, input, facts) };
}

type Named = Pick<CommandCall, 'tool' | 'mayBe'>;

/**
 * Claude Code's tools belong to host `claude`, its servers' tools to the server's name, unless it is
 * not clear which server that is, or another host has that name: that host's rules do not apply here.
 */
function toolOf(name: string, agentHosts: readonly string[]): Named {
  if (name === SHELL) return { tool: 'claude.shell', mayBe: [] };
  const read = name.startsWith(SERVED) ? servedReadings(name.slice(SERVED.length), /^__/) : [];
  const foreign = read.filter(({ host }) => isForeignHost(host, agentHosts));
  const mayBe = foreign.map((one) => qualifiedName(one.host, one.name));
  const [tool] = mayBe;
  return tool !== undefined && read.length === 1
    ? { tool, mayBe: [] }
    : { tool: qualifiedName('claude', name === 'shell' ? 'tool/shell' : name), mayBe };
}

interface CallFacts {
  readonly workspace: string;
  /** Hosts of the tools of ACP agents. */
  readonly agentHosts: readonly string[];
  readonly shell: ShellVerdicts;
}

/** A text field of the call's input; empty if missing. */
function field(input: JsonValue, key: string): string {
  const value = (input as Readonly<Record<string, JsonValue>> | null)?.[key];
  return typeof value === 'string' ? value : '';
}

const ABOUT = ['file_path', 'pattern', 'path', 'url', 'query'] as const;

type Read = Omit<CommandCall, keyof Named>;

function readCall(kind: CommandCall['kind'], input: JsonValue, { workspace }: CallFacts): Read {
  const about = ABOUT.map((key) => field(input, key)).find((text) => text !== '');
  const place = field(input, 'file_path') || field(input, 'path');
  return {
    purity: 'world',
    kind,
    hasEffects: false,
    isWorkspaceRead: kind !== 'fetch' && isInside(place, workspace, input),
    risk: SAFE,
    hint: oneLine(about ?? ''),
  };
}

function shellCall(input: JsonValue, { shell, workspace }: CallFacts): Read {
  const command = field(input, 'command');
  const hasEffects = shell.hasEffects(command);
  return {
    purity: hasEffects ? 'side_effect' : 'world',
    kind: 'execute',
    hasEffects,
    isWorkspaceRead: false,
    risk: riskWhereRun(shell.riskOf(command), { command, input }, workspace),
    hint: oneLine(command),
  };
}

function editCall(input: JsonValue, { workspace }: CallFacts): Read {
  const file = field(input, 'file_path') || field(input, 'notebook_path');
  return {
    purity: 'side_effect',
    kind: 'edit',
    hasEffects: true,
    isWorkspaceRead: false,
    risk: editRisk(file === '' ? [] : [file], workspace, input),
    hint: oneLine(file),
  };
}

function unknownCall({ tool, mayBe }: Named, input: JsonValue, { shell }: CallFacts): Read {
  const refused = [tool, ...mayBe]
    .map((name) => shell.refusedIn(name, input))
    .find((why) => why !== undefined);
  return {
    purity: 'side_effect',
    kind: 'other',
    hasEffects: true,
    isWorkspaceRead: false,
    risk: {
      isRisky: true,
      reason: 'Holdfast does not know what this tool of the agent does.',
      covers: '',
      ...(refused === undefined ? {} : { refused }),
    },
    hint: oneLine(JSON.stringify(input) ?? ''),
  };
}

const oneLine = (text: string): string => cutText(text.replace(/\s+/g, ' ').trim(), 200);
