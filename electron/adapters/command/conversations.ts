import { identifyAgent } from './identify-agent';
import fs from 'node:fs';
import path from 'node:path';
import type { WatchedSession } from '../../../shared/watch-rules';
import type { Conversations } from '../../ports/conversations';
import type { ProcessTable } from '../../ports/process-facts';
import { childEnvironment } from '../shell/login-environment';
import { createClaudeSessions } from './claude-sessions';
import { findWatched, listWatched } from './watched';

/** `watchDir`: the folder in which the hooks of watched terminals write. */
export function createConversations(
  deps: { readonly watchDir: string } & Parameters<typeof childEnvironment>[0],
): Conversations {
  return {
    async watched(ref) {
      const watched = await findWatched(deps.watchDir, ref);
      if (watched === undefined) return undefined;
      return {
        hasEnded: watched.state === 'ended',
        lastAtMs: watched.lastAtMs,
        process: await processOf(watched),
        ...(watched.limit === undefined ? {} : { isAtLimit: true }),
      };
    },
    terminals: () => listWatched(deps.watchDir),
    async claude(variables) {
      const { env } = await childEnvironment(deps, variables, {});
      return createClaudeSessions(
        env['CLAUDE_CONFIG_DIR'] ?? path.join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.claude'),
      );
    },
    realFolder(folder) {
      try {
        return fs.realpathSync(folder);
      } catch {
        return folder;
      }
    },
    async isClaudeAdapter({ command, args = [] }) {
      return identifyAgent(command, args) === 'claude';
    },
  };
}

/** The code that reads processes is loaded on first use. */
const processTable = async (): Promise<Pick<ProcessTable, 'read'>> =>
  (await import('../instance/process-table')).createSystemProcessTable();

async function processOf(watched: WatchedSession): Promise<'alive' | 'dead' | 'unknown'> {
  if (watched.process === undefined) return 'unknown';
  const { pid, startTicks } = watched.process;
  const facts = await (await processTable()).read(pid);
  if (facts.kind === 'unavailable') return 'unknown';
  if (facts.kind !== 'alive') return startTicks === undefined ? 'unknown' : 'dead';
  if (startTicks !== undefined) return facts.startTicks === startTicks ? 'alive' : 'dead';
  // Without a start identity the PID alone proves nothing.
  return facts.commandLine?.includes('claude') === true ? 'alive' : 'unknown';
}
