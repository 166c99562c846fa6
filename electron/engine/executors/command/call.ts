import { cutText } from '../../../../shared/cut-text';
import { editRisk, isWithin } from '../program/edit-risk';
import type { Purity } from '../../../../shared/types';
import { isForeignHost } from '../../../../shared/own-hosts';
import { qualifiedName } from '../../../../shared/tool-id';
import type { ExternalToolKind } from '../../../ports/external-agent';
import type { JsonValue } from '../../../ports/provider';
import type { CallRisk } from '../../../ports/tool-call';

/** A call of the program's built-in tools. */
export interface CommandCall {
  /** `claude.shell`: the name in the journal, in rules and in the side-effect list. */
  readonly tool: string;
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
const READS: Readonly<Record<string, ExternalToolKind>> = {
  Read: 'read',
  Grep: 'search',
  Glob: 'search',
  LS: 'read',
  NotebookRead: 'read',
  ListMcpResourcesTool: 'read',
  ReadMcpResourceTool: 'read',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
};
const EDITS = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** A tool of the program's MCP server: lists and rules name it by that server. S0-13. */
const SERVED = /^mcp__(.+?)__(.+)$/;

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
  const tool = toolOf(name);
  const kind = READS[name];
  if (kind !== undefined) return readCall(tool, kind, input, facts);
  if (name === SHELL) return shellCall(tool, input, facts);
  if (EDITS.has(name)) return editCall(tool, input, facts);
  return unknownCall(tool, input, facts);
}

/**
 * Claude Code's tools belong to host `claude`, its servers' tools to the server's name, unless a
 * Holdfast host has that name: that host's rules do not apply here.
 */
function toolOf(name: string): string {
  if (name === SHELL) return 'claude.shell';
  const [, server = '', served = ''] = SERVED.exec(name) ?? [];
  if (isForeignHost(server)) return qualifiedName(server, served);
  return qualifiedName('claude', name === 'shell' ? 'tool/shell' : name);
}

interface CallFacts {
  readonly workspace: string;
  readonly shell: ShellVerdicts;
}

/** A text field of the call's input; empty if missing. */
function field(input: JsonValue, key: string): string {
  const value = (input as Readonly<Record<string, JsonValue>> | null)?.[key];
  return typeof value === 'string' ? value : '';
}

const ABOUT = ['file_path', 'pattern', 'path', 'url', 'query'] as const;

function readCall(
  tool: string,
  kind: CommandCall['kind'],
  input: JsonValue,
  { workspace }: CallFacts,
): CommandCall {
  const about = ABOUT.map((key) => field(input, key)).find((text) => text !== '');
  const place = field(input, 'file_path') || field(input, 'path');
  return {
    tool,
    purity: 'world',
    kind,
    hasEffects: false,
    isWorkspaceRead: kind !== 'fetch' && isWithin(place, workspace),
    risk: SAFE,
    hint: oneLine(about ?? ''),
  };
}

function shellCall(tool: string, input: JsonValue, { shell }: CallFacts): CommandCall {
  const command = field(input, 'command');
  const hasEffects = shell.hasEffects(command);
  return {
    tool,
    purity: hasEffects ? 'side_effect' : 'world',
    kind: 'execute',
    hasEffects,
    isWorkspaceRead: false,
    risk: shell.riskOf(command),
    hint: oneLine(command),
  };
}

function editCall(tool: string, input: JsonValue, { workspace }: CallFacts): CommandCall {
  const file = field(input, 'file_path') || field(input, 'notebook_path');
  return {
    tool,
    purity: 'side_effect',
    kind: 'edit',
    hasEffects: true,
    isWorkspaceRead: false,
    risk: editRisk(file === '' ? [] : [file], workspace),
    hint: oneLine(file),
  };
}

function unknownCall(tool: string, input: JsonValue, { shell }: CallFacts): CommandCall {
  const refused = shell.refusedIn(tool, input);
  return {
    tool,
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
