import path from 'node:path';
import { durationMs } from '../../../shared/settings';
import type { Breakers } from '../../ports/breakers';
import type { Basics } from '../../engine/kernel/basics';
import type { JournalReads } from '../../ports/journal/reads';
import type { SettingsPort } from '../../ports/settings';
import type { ToolHost } from '../../ports/tools';
import { BROWSER_MARKER, INSTANCE_MARKER, RUN_MARKER } from '../shell/child-environment';
import {
  childEnvironment,
  type FindSecrets,
  type LoginEnvironment,
} from '../shell/login-environment';
import type { BrowserSessions } from './browser-sessions';
import { createBrowserTools } from './browser-tools';
import { findBrowser, type FoundBrowser } from './find-browser';

/** What its programs get from the world of this run. */
interface RunFacts extends Pick<Basics, 'clock' | 'crashPoints'> {
  readonly runId: string;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
}

interface BrowsersDeps extends Pick<Basics, 'audit' | 'log'> {
  readonly world: RunFacts;
  readonly dataDir: string;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly reads: Pick<JournalReads, 'databaseId' | 'turn'>;
  readonly findSecrets: FindSecrets;
  readonly breakers: Breakers;
  /** Ends the browsers of earlier runs. */
  readonly endLeft: () => Promise<void>;
}

/** The browsers of one run; their code is loaded with the first call. */
export interface Browsers {
  readonly host: ToolHost;
  find(): FoundBrowser;
  /** A harmless call to a session's browser; undefined if the session has none in this run. */
  check(sessionId: number): ((signal: AbortSignal) => Promise<'ok' | 'neither'>) | undefined;
  stop(graceMs: number): Promise<void>;
  /** Removes browser data of sessions that have opened no browser since `beforeMs`. */
  prune(beforeMs: number): Promise<void>;
}

/**
 * A browser may be installed while Holdfast runs: searches again on request, at most this often.
 */
const LOOK_AGAIN_MS = 10_000;

export function createBrowsers(deps: BrowsersDeps): Browsers {
  const { settings, reads, world } = deps;
  const dir = path.join(deps.dataDir, 'browser');
  const find = createFinder(deps);
  let loaded: BrowserSessions | undefined;
  let loading: Promise<BrowserSessions> | undefined;

  const load = async (): Promise<BrowserSessions> => {
    const { createBrowserSessions } = await import('./browser-sessions');
    loaded = createBrowserSessions({
      dir,
      find,
      isHeadless: () => settings.get('browser.headless'),
      localHosts: () => settings.get('browser.local_hosts'),
      timeoutMs: () => durationMs(settings.get('browser.timeout')),
      idleMs: () => durationMs(settings.get('browser.idle')),
      breakers: deps.breakers,
      async environment(sessionId) {
        await deps.endLeft();
        const { env } = await childEnvironment(world, [], {
          [INSTANCE_MARKER]: reads.databaseId(),
          [RUN_MARKER]: world.runId,
          [BROWSER_MARKER]: String(sessionId),
        });
        return env;
      },
      hide: (text) => deps.findSecrets(undefined).hide(text),
      onOpened: (facts) => {
        deps.audit.record('browser_opened', facts);
      },
      onErrorLine: (sessionId, line) => {
        deps.log.debug('browser.stderr', { sessionId, line });
      },
    });
    return loaded;
  };

  return {
    find,
    host: createBrowserTools({
      sessions: () => (loading ??= load()),
      find,
      sessionOf: (turnId) => reads.turn(turnId)?.sessionId,
      timeoutMs: () => durationMs(settings.get('browser.timeout')),
      localHosts: () => settings.get('browser.local_hosts'),
      crashPoints: world.crashPoints,
    }),
    check(sessionId) {
      const sessions = loaded;
      return sessions?.wasUsed(sessionId) === true
        ? (signal) => sessions.check(sessionId, signal)
        : undefined;
    },
    async stop(graceMs) {
      await loaded?.stop(Math.min(1_000, graceMs));
    },
    async prune(beforeMs) {
      const { pruneBrowserFolders } = await import('./browser-sessions');
      const isOpen = (sessionId: number): boolean =>
        loaded?.open().some((one) => one.sessionId === sessionId) === true;
      await pruneBrowserFolders(dir, beforeMs, isOpen);
    },
  };
}

/** Caches one search until the setting changes, or for ten seconds if nothing was found. */
function createFinder({
  settings,
  world: { clock, ownEnvironment },
}: Pick<BrowsersDeps, 'settings' | 'world'>): () => FoundBrowser {
  let last:
    { readonly command: string; readonly found: FoundBrowser; readonly atMs: number } | undefined;
  return () => {
    const command = settings.get('browser.command');
    const nowMs = clock.monotonicMs();
    const isFresh =
      last?.command === command &&
      (last.found.kind === 'found' || nowMs - last.atMs < LOOK_AGAIN_MS);
    if (last === undefined || !isFresh)
      last = { command, found: findBrowser(command, ownEnvironment), atMs: nowMs };
    return last.found;
  };
}
