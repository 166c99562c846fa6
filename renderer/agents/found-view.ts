/** Texts about external agents on this computer. Pure. */
import type { VerbInput } from '../../shared/contract';
import type { MessageKey } from '../../shared/messages';
import type { AgentView, DetectedAgent } from '../../shared/types';

type AgentInput = VerbInput<'agents.add'>['agent'];

/** Agents of which something is installed here, and the names of all others. */
export function foundHere(agents: readonly DetectedAgent[]): {
  readonly here: readonly DetectedAgent[];
  readonly gone: readonly string[];
} {
  const isHere = (agent: DetectedAgent): boolean => agent.isInstalled || agent.path !== undefined;
  return {
    here: agents.filter(isHere),
    gone: agents.filter((agent) => !isHere(agent)).map((agent) => agent.name),
  };
}

/** What must be done first, split if it ends in a command that can be copied. */
export function installHint(missing: string): {
  readonly sentence: string;
  readonly command?: string;
} {
  const [, sentence, command] = /^(.+?): (npm install [\w@/. -]+)$/.exec(missing) ?? [];
  return sentence === undefined || command === undefined
    ? { sentence: missing }
    : { sentence: `${sentence}.`, command };
}

/** True if its adapter can be installed from here. */
export const canInstall = (found: DetectedAgent): boolean =>
  !found.isInstalled && installHint(found.missing ?? '').command !== undefined;

/** Lines of a diff with their signs. */
export const diffKind = (line: string): 'added' | 'removed' | 'same' =>
  line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';

/** The settings of an agent that is used here; undefined while it cannot be started. */
export function agentOfFound(found: DetectedAgent, workspace: string): AgentInput | undefined {
  const [command, ...args] = (found.command ?? '').split(' ').filter((word) => word !== '');
  if (!found.isInstalled || command === undefined) return undefined;
  return {
    executor: 'acp',
    command,
    ...(args.length === 0 ? {} : { args }),
    workspace: workspace.trim(),
  };
}

/** Agents that are started with the same command. */
export function usedAs(found: DetectedAgent, agents: readonly AgentView[]): readonly string[] {
  return agents
    .filter((agent) => agent.executor === 'acp' && agent.provider === found.command)
    .map((agent) => agent.name);
}

/** An unused name: an agent that is added under a known name would replace it. */
export function freeName(wanted: string, taken: readonly string[]): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${String(count)}`;
    if (!taken.includes(name)) return name;
  }
}

/** What is wrong with the name of a new agent; undefined when nothing is. */
export function nameProblem(name: string, taken: readonly string[]): MessageKey | undefined {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) return 'found.nameWrong';
  return taken.includes(name) ? 'found.nameTaken' : undefined;
}

/** What is wrong with a typed folder; whether it exists is for the engine to check. */
export function folderProblem(folder: string): MessageKey | undefined {
  const written = folder.trim();
  if (written === '') return 'found.folderMissing';
  return /^(\/|~$|~[\\/]|[a-z]:[\\/]|\\\\)/i.test(written) ? undefined : 'found.folderWrong';
}

/** True if a terminal of this program can be watched: Claude Code only. */
export const isWatchable = (found: DetectedAgent): boolean => found.id === 'claude';

export const FOUND_CHOICES = ['use', 'watch', 'skip'] as const;
type FoundChoice = (typeof FOUND_CHOICES)[number];

/** The user's answer about one found agent at the first start. */
export interface FoundAnswer {
  readonly choice?: FoundChoice;
  readonly name: string;
  readonly folder: string;
  /** Saved already: never added twice. */
  readonly isSaved?: boolean;
  /**
   * The folder that it was saved with, if it cannot run there: another one is saved in its place.
   */
  readonly savedFolder?: string;
}

/** What Continue would add or correct, in order; `isComplete` is false while a name or folder is not right. */
export function planFirstAgents(
  here: readonly DetectedAgent[],
  answerOf: (id: string) => FoundAnswer,
  taken: readonly string[],
): {
  readonly isComplete: boolean;
  readonly toSave: readonly {
    readonly verb: 'agents.add' | 'agents.edit';
    readonly id: string;
    readonly name: string;
    readonly agent: AgentInput;
  }[];
} {
  const names = [...taken];
  const toSave: {
    verb: 'agents.add' | 'agents.edit';
    id: string;
    name: string;
    agent: AgentInput;
  }[] = [];
  let isComplete = true;
  for (const found of here) {
    const { choice, name, folder, isSaved, savedFolder } = answerOf(found.id);
    const agent = agentOfFound(found, folder);
    if (choice !== 'use' || agent === undefined) continue;
    if (isSaved === true) {
      if (savedFolder === undefined || savedFolder === folder) continue;
      if (folderProblem(folder) !== undefined) isComplete = false;
      toSave.push({ verb: 'agents.edit', id: found.id, name, agent });
      continue;
    }
    if (nameProblem(name, names) !== undefined || folderProblem(folder) !== undefined)
      isComplete = false;
    names.push(name);
    toSave.push({ verb: 'agents.add', id: found.id, name, agent });
  }
  return { isComplete, toSave };
}
