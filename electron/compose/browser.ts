import path from 'node:path';
import { durationMs } from '../../shared/settings';
import type { BrowserSessions } from '../adapters/browser/browser-sessions';
import { createBrowserTools } from '../adapters/browser/browser-tools';
import { findBrowser, type FoundBrowser } from '../adapters/browser/find-browser';
import { BROWSER_MARKER, INSTANCE_MARKER, RUN_MARKER } from '../adapters/shell/child-environment';
import type { Breakers } from '../ports/breakers';
import type { ToolHost } from '../ports/tools';
import type { Core } from './core';
import { childEnvironment } from '../adapters/shell/login-environment';

interface BrowsersDeps {
  readonly breakers: Breakers;
  /** Ends the browsers of earlier runs. */
  readonly endLeft: () => Promise<void>;
}

/** The browsers of one run, wired. */
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

export function createBrowsers(core: Core, deps: BrowsersDeps): Browsers {
  const { settings } = core;
  const dir = path.join(core.dataDir, 'browser');
  const find = createFinder(core);
  let loaded: BrowserSessions | undefined;
  let loading: Promise<BrowserSessions> | undefined;

  const load = async (): Promise<BrowserSessions> => {
    const { createBrowserSessions } = await import('../adapters/browser/browser-sessions');
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
        const { env } = await childEnvironment(core.world, [], {
          [INSTANCE_MARKER]: core.disk.reads.databaseId(),
          [RUN_MARKER]: core.world.runId,
          [BROWSER_MARKER]: String(sessionId),
        });
        return env;
      },
      hide: (text) => core.secrets.findSecrets(undefined).hide(text),
      onOpened: (facts) => {
        core.records.audit.record('browser_opened', facts);
      },
      onErrorLine: (sessionId, line) => {
        core.records.log.debug('browser.stderr', { sessionId, line });
      },
    });
    return loaded;
  };

  return {
    find,
    host: createBrowserTools({
      sessions: () => (loading ??= load()),
      find,
      sessionOf: (turnId) => core.disk.reads.turn(turnId)?.sessionId,
      timeoutMs: () => durationMs(settings.get('browser.timeout')),
      localHosts: () => settings.get('browser.local_hosts'),
      crashPoints: core.world.crashPoints,
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
      const { pruneBrowserFolders } = await import('../adapters/browser/browser-sessions');
      const isOpen = (sessionId: number): boolean =>
        loaded?.open().some((one) => one.sessionId === sessionId) === true;
      await pruneBrowserFolders(dir, beforeMs, isOpen);
    },
  };
}

/** Caches one search until the setting changes, or for ten seconds if nothing was found. */
function createFinder({ settings, world }: Pick<Core, 'settings' | 'world'>): () => FoundBrowser {
  let last:
    { readonly command: string; readonly found: FoundBrowser; readonly atMs: number } | undefined;
  return () => {
    const command = settings.get('browser.command');
    const nowMs = world.clock.monotonicMs();
    const isFresh =
      last?.command === command &&
      (last.found.kind === 'found' || nowMs - last.atMs < LOOK_AGAIN_MS);
    if (last === undefined || !isFresh)
      last = { command, found: findBrowser(command, world.ownEnvironment), atMs: nowMs };
    return last.found;
  };
}
