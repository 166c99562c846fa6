import { isSameTool } from '../../shared/tool-id';
import type { JsonValue } from '../ports/provider';
import type { CallRisk, NamedRemote } from '../ports/tool-call';
import type { PartDeps } from './core';
import { commandIn, isSleepGuardOn } from './sleep-guard';

/** What is known of a command line before it runs. */
export interface ShellEffects {
  readonly of: (command: string) => boolean;
  readonly riskOf: (command: string) => CallRisk;
  readonly remoteIn: (command: string) => NamedRemote | undefined;
  readonly loaded: () => Promise<void>;
  readonly isGuardOn: () => boolean;
  /** Why a tool of another program that was declared as a shell may not run this, where it may not. */
  readonly refusedIn: (tool: string, args: JsonValue) => string | undefined;
}

const UNREAD: CallRisk = { isRisky: true, reason: 'Nobody has read it yet.', covers: '' };

/** The parser of shell commands is large: it is loaded before the first turn, not at the start. */
export function createShellEffects({
  settings,
  ownEnvironment,
  audit,
}: PartDeps<'settings' | 'ownEnvironment' | 'audit'>): ShellEffects {
  let loading: Promise<void> | undefined;
  // A command that nobody has looked at counts as one with effects.
  let of = (_command: string): boolean => true;
  let riskOf = (_command: string): CallRisk => UNREAD;
  let remoteIn = (_command: string): NamedRemote | undefined => undefined;
  const isGuardOn = (): boolean =>
    isSleepGuardOn(settings.get('shell.sleep_guard'), ownEnvironment);
  const load = async (): Promise<void> => {
    const [effects, risk, sleep, remote] = await Promise.all([
      import('../engine/shell-policy/shell-effects'),
      import('../engine/shell-policy/shell-risk'),
      import('../engine/shell-policy/sleep-guard'),
      import('../engine/shell-policy/git-remote'),
    ]);
    of = effects.hasShellEffects;
    remoteIn = remote.namedRemote;
    riskOf = (command) => {
      const found = risk.shellRisk(command);
      if (!isGuardOn()) return found;
      const verdict = sleep.judgeSleep(command);
      if (verdict.blocked) return { ...found, refused: sleep.sleepRefusal(verdict) };
      const { waitsSeconds } = verdict;
      if (waitsSeconds !== undefined) audit.record('sleep_allowed', { waitsSeconds });
      return found;
    };
  };
  return {
    of: (command) => of(command),
    riskOf: (command) => riskOf(command),
    remoteIn: (command) => remoteIn(command),
    loaded: () => (loading ??= load()),
    isGuardOn,
    refusedIn(tool, args) {
      const isGuarded = settings.get('shell.guarded_tools').some((one) => isSameTool(one, tool));
      const command = isGuarded ? commandIn(args) : undefined;
      return command === undefined ? undefined : riskOf(command).refused;
    },
  };
}
