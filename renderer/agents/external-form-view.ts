/** Content of an external agent's form, and the settings that it represents. Pure. */
import type { VerbInput } from '../../shared/contract';
import { commandLine, commandWords } from '../../shared/command-words';
import { parseDuration } from '../../shared/durations';
import type { MessageKey } from '../../shared/messages';
import { folderProblem } from './found-view';

export type AgentInput = VerbInput<'agents.add'>['agent'];
export type ExternalInput = Exclude<AgentInput, { readonly provider: string }>;

/** The fields as typed; an empty text means not set. */
export interface ExternalForm {
  readonly command: string;
  readonly folder: string;
  readonly env: readonly string[];
  readonly model: string;
  readonly ask: 'policy' | 'always';
  readonly login: string;
  readonly prompt: 'stdin' | 'argument';
  readonly resume: string;
  readonly deadline: string;
}

export function outsideForm(stored: ExternalInput): ExternalForm {
  const isAcp = stored.executor === 'acp';
  return {
    command: commandLine([stored.command, ...(stored.args ?? [])]),
    folder: stored.workspace,
    env: stored.env ?? [],
    model: isAcp ? (stored.model ?? '') : '',
    ask: isAcp ? (stored.ask ?? 'policy') : 'policy',
    login: isAcp ? (stored.login ?? '') : '',
    prompt: isAcp ? 'stdin' : (stored.prompt_mode ?? 'stdin'),
    resume: isAcp ? '' : commandLine(stored.resume_args ?? []),
    deadline: isAcp ? '' : String(stored.deadline ?? ''),
  };
}

/** Errors by field; empty if the form can be saved. The engine checks all of it again. */
export function outsideProblems(
  form: ExternalForm,
): Readonly<Partial<Record<keyof ExternalForm, MessageKey>>> {
  const folder = folderProblem(form.folder);
  return {
    ...(commandWords(form.command).length === 0
      ? { command: 'agent.commandMissing' as const }
      : {}),
    ...(folder === undefined ? {} : { folder }),
    ...(form.env.every((name) => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
      ? {}
      : { env: 'agent.envWrong' as const }),
    ...(form.deadline.trim() === '' || parseDuration(form.deadline.trim()).ok
      ? {}
      : { deadline: 'agent.deadlineWrong' as const }),
  };
}

/** The settings from the form; fields that it does not show stay as stored. */
export function outsideAgent(stored: ExternalInput, form: ExternalForm): ExternalInput {
  const [command = '', ...args] = commandWords(form.command);
  const both = {
    command,
    workspace: form.folder.trim(),
    ...given('args', args),
    ...given('env', form.env),
    ...(stored.wait === undefined ? {} : { wait: stored.wait }),
  };
  if (stored.executor === 'acp')
    return {
      executor: 'acp',
      ...both,
      ...given('model', form.model.trim()),
      ...(form.ask === 'always' ? { ask: form.ask } : {}),
      ...given('login', form.login.trim()),
    };
  return {
    executor: 'command',
    ...both,
    ...(form.prompt === 'argument' ? { prompt_mode: form.prompt } : {}),
    ...given('resume_args', commandWords(form.resume)),
    ...given('deadline', form.deadline.trim()),
  };
}

const given = (key: string, value: string | readonly string[]): Record<string, unknown> =>
  value.length === 0 ? {} : { [key]: value };
