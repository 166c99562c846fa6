import { durationMs } from '../../../shared/settings';
import { quoted } from '../../../shared/shell-quoted';
import type { Check } from '../../../shared/schedule/check';
import type { CheckOwner, CheckResult, TaskChecks } from '../../ports/checks';
import type { SettingsPort } from '../../ports/settings';
import type { ToolHost } from '../../ports/tools';
import type { ToolOutcome } from '../../ports/tool-call';
import { toHoldfastError } from '../kernel/errors';
import { judgeCall, rulesBySettings } from '../permissions/judge-call';
import type { ToolRegistry } from './tool-registry';

const SHELL = 'shell.shell';

interface TaskChecksDeps {
  readonly settings: SettingsPort;
  readonly frameOf: (agent: string) => {
    readonly workspace: string;
    readonly tools: readonly { readonly name: string }[];
  };
  /** The shell tools, with their rules. */
  readonly shell: ToolHost;
  /** Resolves when the shell's analysis of command lines is loaded. */
  readonly shellLoaded: () => Promise<unknown>;
  readonly registry: Pick<ToolRegistry, 'findQualified'>;
  /** Fetches pages through the checked network path. */
  readonly pages: ToolHost;
  /** Expands a leading `~` to the home folder. */
  readonly fromHome: (place: string) => string;
  /** A signal that aborts after this time. */
  readonly timeLimit: (ms: number) => AbortSignal;
}

/** Git arguments for a read-only query that never waits for a password. */
const gitLine = (place: string, ref: string): string =>
  `GIT_ALLOW_PROTOCOL=file:git:http:https:ssh git ls-remote --exit-code -- ${quoted(place)} ${quoted(ref)}`;

/**
 * Checks of tasks, run with agents' tools: commands through the shell with its rules and the
 * approval rules, pages through the checked network path. Loaded with the first check. GT-01
 */
export function createTaskChecks(deps: TaskChecksDeps): TaskChecks {
  const { settings, frameOf, shell, registry } = deps;
  let asked = 0;

  /** The command line that runs, if any. */
  const lineOf = (check: Check): string | undefined =>
    check.kind === 'command'
      ? check.command
      : check.kind === 'git'
        ? gitLine(deps.fromHome(check.place), check.ref)
        : undefined;

  const refusal = async (check: Check, owner: CheckOwner): Promise<string | undefined> => {
    // These git queries are known to change nothing; their address came from the task's own words.
    if (check.kind !== 'command') return undefined;
    await deps.shellLoaded();
    const spec = registry.findQualified(SHELL)?.spec;
    const args = { command: check.command };
    const risk = spec?.risk?.(args);
    const hasEffects = spec?.hasEffects?.(args) ?? true;
    const verdict = judgeCall(
      { tool: SHELL, purity: 'side_effect', hasEffects, risk },
      rulesBySettings(settings)(),
      () => false,
    );
    if (verdict.kind === 'deny') return `This check is not allowed: ${verdict.reason}`;
    if (owner.by === 'user') return undefined;
    const hasShell = frameOf(owner.agent).tools.some(({ name }) => name === 'shell');
    if (!hasShell)
      return `The agent "${owner.agent}" has no shell tool, so its checks cannot run commands. A person can add this check.`;
    return verdict.kind === 'ask'
      ? `This check needs a person's approval: ${verdict.reason} A person can add it.`
      : undefined;
  };

  const call = (
    host: ToolHost,
    tool: string,
    args: Record<string, string | number>,
    at: { readonly workspace: string; readonly signal: AbortSignal },
  ): Promise<ToolOutcome> => {
    asked += 1;
    return host.call({
      tool,
      args,
      turnId: 0,
      step: asked,
      idempotencyKey: `check-${String(asked)}`,
      env: [],
      ...at,
    });
  };

  return {
    refusal,
    async run(check, owner, signal) {
      try {
        const why = await refusal(check, owner);
        if (why !== undefined) return { kind: 'failed', why };
        const timeoutMs = durationMs(settings.get('resilience.scheduler.check_timeout'));
        const { workspace } = frameOf(owner.agent);
        const line = lineOf(check);
        if (line !== undefined) {
          const args = { command: line, timeout_ms: Math.max(100, timeoutMs) };
          return shellResult(await call(shell, 'shell', args, { workspace, signal }));
        }
        const { url } = check as Extract<Check, { kind: 'url' }>;
        const limit = AbortSignal.any([signal, deps.timeLimit(timeoutMs)]);
        return pageResult(
          await call(deps.pages, 'web_fetch', { url }, { workspace, signal: limit }),
        );
      } catch (error) {
        return { kind: 'failed', why: toHoldfastError(error).message };
      }
    },
  };
}

const failed = (why: string): CheckResult => ({ kind: 'failed', why });

/** The tool reports the exit code in its last line. */
function shellResult(outcome: ToolOutcome): CheckResult {
  if (outcome.kind !== 'result') return failed(outcome.message);
  const found = /^([\s\S]*?)\[exit code (\d+)[^\]\n]*\]$/.exec(outcome.content);
  return found === null
    ? failed(outcome.content)
    : { kind: 'output', text: found[1] ?? '', exitCode: Number(found[2]) };
}

/** The page without the lines about the request. */
function pageResult(outcome: ToolOutcome): CheckResult {
  if (outcome.kind !== 'result') return failed(outcome.message);
  const bodyAt = outcome.content.indexOf('\n\n');
  if (!outcome.isError)
    return { kind: 'output', text: bodyAt < 0 ? '' : outcome.content.slice(bodyAt + 2) };
  return failed(
    outcome.httpStatus === undefined
      ? outcome.content
      : `the server answered with status ${String(outcome.httpStatus)}`,
  );
}
