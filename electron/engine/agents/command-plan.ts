import type { Purity } from '../../../shared/model';
import type { CommandDialect, CommandEnd, HookRecord } from '../../ports/command-agent';
import type { JournalEntry, StepRow } from '../../ports/journal';
import type { OutsideCallRow } from '../../ports/journal-outside';
import type { OutsideToolKind } from '../../ports/outside-agent';
import type { JsonValue, ProviderFailure } from '../../ports/provider';
import type { CallRisk } from '../../ports/tools';
import { isEffect, type LedgerLine } from '../recovery/ledger';

/** Where the number of the conversation goes in `resume_args`. */
export const SESSION_PLACEHOLDER = '{session}';
/** How Claude Code goes on with a conversation: its own number for it is refused a second time. */
const CLAUDE_RESUME = ['--resume', SESSION_PLACEHOLDER];

/** What a call of the program's own tools is. */
export interface CommandCall {
  /** `claude.Bash`: the name in the journal and in the lists. */
  readonly tool: string;
  readonly purity: Purity;
  readonly kind: OutsideToolKind;
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
}

const SAFE: CallRisk = { isRisky: false, reason: '', covers: '' };
/** Only think, plan or look at the program's own state: nothing to journal. */
const INNER = new Set(
  (
    'TodoWrite TodoRead Task Agent TaskCreate TaskGet TaskList TaskUpdate TaskOutput BashOutput ' +
    'ToolSearch Skill ExitPlanMode EnterPlanMode AskUserQuestion ReportFindings StructuredOutput'
  ).split(' '),
);
const READS: Readonly<Record<string, OutsideToolKind>> = {
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

/**
 * What a call of Claude Code does, by the name of its tool; undefined for tools that touch nothing
 * but its own plan. A name that nobody knows has effects and is asked about. Pure. S4-20.
 */
export function claudeCall(
  name: string,
  input: JsonValue,
  facts: { readonly workspace: string; readonly shell: ShellVerdicts },
): CommandCall | undefined {
  if (INNER.has(name)) return undefined;
  const field = (key: string): string => {
    const value = (input as Readonly<Record<string, JsonValue>> | null)?.[key];
    return typeof value === 'string' ? value : '';
  };
  const tool = `claude.${name}`;
  const kind = READS[name];
  if (kind !== undefined) {
    const about = [
      field('file_path'),
      field('pattern'),
      field('path'),
      field('url'),
      field('query'),
    ];
    return {
      tool,
      purity: 'world',
      kind,
      hasEffects: false,
      isWorkspaceRead:
        kind !== 'fetch' && isWithin(field('file_path') || field('path'), facts.workspace),
      risk: SAFE,
      hint: oneLine(about.find((text) => text !== '') ?? ''),
    };
  }
  if (name === 'Bash') {
    const command = field('command');
    const hasEffects = facts.shell.hasEffects(command);
    return {
      tool,
      purity: hasEffects ? 'side_effect' : 'world',
      kind: 'execute',
      hasEffects,
      isWorkspaceRead: false,
      risk: facts.shell.riskOf(command),
      hint: oneLine(command),
    };
  }
  if (EDITS.has(name)) {
    const file = field('file_path') || field('notebook_path');
    return {
      tool,
      purity: 'side_effect',
      kind: 'edit',
      hasEffects: true,
      isWorkspaceRead: false,
      risk: isWithin(file, facts.workspace)
        ? SAFE
        : { isRisky: true, reason: 'It changes a file outside of its folder.', covers: '' },
      hint: oneLine(file),
    };
  }
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
    },
    hint: oneLine(JSON.stringify(input) ?? ''),
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200);

/** True for a path inside of the folder, as far as its text tells. A relative one counts as inside. */
function isWithin(file: string, folder: string): boolean {
  if (file === '') return false;
  if (/(^|[\\/])\.\.([\\/]|$)/.test(file)) return false;
  if (!file.startsWith('/') && !/^[A-Za-z]:/.test(file)) return true;
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** What an agent of the settings says about its command line. */
export interface CommandSpec {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly prompt_mode?: 'stdin' | 'argument' | undefined;
  readonly resume_args?: readonly string[] | undefined;
}

export interface CommandLine {
  readonly args: readonly string[];
  readonly input?: string;
}

/** True where a later run of the program can go on with an earlier one. */
export function canResume(spec: CommandSpec, dialect: CommandDialect): boolean {
  return (spec.resume_args?.length ?? 0) > 0 || dialect === 'claude';
}

/** Its own settings file in the arguments: ours would replace it, so it runs without our hooks. */
export function canHook(spec: CommandSpec, dialect: CommandDialect): boolean {
  return (
    dialect === 'claude' &&
    !(spec.args ?? []).some((arg) => arg === '--settings' || arg.startsWith('--settings='))
  );
}

/**
 * The arguments of one run. For Claude Code what its stream needs is added where it is missing. A
 * prompt that is an argument goes last and never begins with a dash, so that no option can come out
 * of it; nothing goes through a shell. Pure.
 */
export function planCommandLine(facts: {
  readonly spec: CommandSpec;
  readonly dialect: CommandDialect;
  readonly prompt: string;
  /** Conversation to go on with. */
  readonly ref: string | undefined;
  readonly hookArgs: readonly string[];
}): CommandLine {
  const { spec, dialect, prompt, ref } = facts;
  const args = [...(spec.args ?? [])];
  if (dialect === 'claude') {
    if (!args.includes('-p') && !args.includes('--print')) args.push('-p');
    const hasFormat = args.some((arg) => arg.startsWith('--output-format'));
    if (!hasFormat) args.push('--output-format', 'stream-json');
    if (!args.includes('--verbose')) args.push('--verbose');
  }
  args.push(...facts.hookArgs);
  if (ref !== undefined) {
    const resume = spec.resume_args ?? (dialect === 'claude' ? CLAUDE_RESUME : []);
    args.push(...resume.map((arg) => arg.replaceAll(SESSION_PLACEHOLDER, ref)));
  }
  if (spec.prompt_mode === 'argument') {
    return { args: [...args, prompt.startsWith('-') ? ` ${prompt}` : prompt] };
  }
  return { args, input: prompt };
}

/**
 * What a resumed run is told: the task, and the facts of the journal. The program's own memory of
 * them may be behind: it was cut off, too. Pure. S4-23.
 */
export function resumePrompt(facts: {
  readonly prompt: string;
  readonly lines: readonly LedgerLine[];
  /** Steps whose unknown result counts as an empty one. */
  readonly skipped: ReadonlySet<number>;
  /** The program remembers the conversation. */
  readonly isContinued: boolean;
}): string {
  const effects = facts.lines.filter((line) => isEffect(line.first) && !isProcess(line.first.tool));
  const done = effects.filter((line) => line.fate === 'finished').map(said);
  const unknown = effects.filter((line) => line.fate === 'open' && !facts.skipped.has(line.root));
  const skipped = effects.filter((line) => line.fate === 'open' && facts.skipped.has(line.root));
  const list = (title: string, items: readonly string[]): readonly string[] =>
    items.length === 0 ? [] : ['', title, ...items.map((item) => `- ${item}`)];
  return [
    facts.isContinued
      ? 'You were interrupted while you worked on the task below. Go on with it.'
      : 'An earlier run of this task was interrupted. Go on with it.',
    'What follows is on record and surely right, also where you do not remember it.',
    ...list('Already done; do not do it again:', done),
    ...list(
      'Started, outcome unknown; check first, and do it again only if it did not happen:',
      unknown.map(said),
    ),
    ...list('To be left out; treat the result as empty and do not do it:', skipped.map(said)),
    ...(done.length + unknown.length + skipped.length === 0
      ? ['', 'Nothing was changed yet.']
      : []),
    '',
    'The task:',
    facts.prompt,
  ].join('\n');
}

const said = ({ first }: LedgerLine): string =>
  `${first.tool.slice(first.tool.indexOf('.') + 1)}${first.hint === '' ? '' : `: ${first.hint}`}`;

/** The step that is the process itself. */
export const isProcess = (tool: string): boolean => tool.startsWith('command.');

/** Name of the process in the journal: `command.claude`. */
export function processTool(program: string): string {
  const plain = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return `command.${plain.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 60) || 'program'}`;
}

/**
 * What the hooks of a turn know better than the journal: a call that has ended meanwhile. Settles
 * only steps without a known end. That a hook wrote nothing proves nothing: it may have been killed
 * alone. Pure. S4-20.
 */
export function settleByHooks(facts: {
  readonly turnId: number;
  readonly steps: readonly StepRow[];
  readonly calls: readonly OutsideCallRow[];
  readonly records: readonly HookRecord[];
}): readonly JournalEntry[] {
  const { turnId } = facts;
  return facts.steps.filter(isUnknown).flatMap((step): readonly JournalEntry[] => {
    const callId = facts.calls.find((one) => one.step === step.step)?.callId;
    const after = facts.records.find(
      (one) => one.kind === 'after' && one.attempt === step.attempt && one.callId === callId,
    );
    if (after?.kind !== 'after') return [];
    const content = { kind: 'inline' as const, text: after.output };
    return [
      {
        kind: 'step.ended',
        turnId,
        step: step.step,
        end: { state: 'completed', content, isError: after.isError },
      },
    ];
  });
}

function isUnknown({ state, end }: StepRow): boolean {
  return state === 'started' || (end?.state === 'ambiguous' && end.content === undefined);
}

const PROVIDER_HINT = 'Nothing of this turn is lost.';

/** Tries after which a refused key is not waited for any longer: it does not pass by waiting. */
export const REFUSALS_UNTIL_STOP = 3;

/** What a failing provider behind the program means for the turn. Pure. S0-14..S0-16. */
export function failureOf(facts: {
  readonly message: string;
  readonly status: number | undefined;
}): ProviderFailure {
  const { status } = facts;
  const message = facts.message.replace(/\s+/g, ' ').trim().slice(0, 300) || 'The agent failed.';
  const common = { message, hint: PROVIDER_HINT, ...(status === undefined ? {} : { status }) };
  if (status === 401 || status === 403)
    return {
      ...common,
      kind: 'config',
      isRetryable: false,
      hint: `${PROVIDER_HINT} Log in with the agent itself, then go on.`,
    };
  if (status === 429) return { ...common, kind: 'rate_limited', isRetryable: true };
  if (status !== undefined && status >= 500)
    return { ...common, kind: 'server', isRetryable: true };
  if (
    status === undefined &&
    /\b(overloaded|rate limit|connection error|timed? ?out)/i.test(message)
  )
    return { ...common, kind: 'server', isRetryable: true };
  return { ...common, kind: 'config', isRetryable: false };
}

/** The program does not know the conversation that it was to go on with. */
export function isSessionUnknown(end: CommandEnd): boolean {
  return (
    end.kind === 'exited' &&
    end.code !== 0 &&
    /no conversation found|session .{0,80}not found|unknown session/i.test(
      `${end.errors}\n${end.output}`,
    )
  );
}
