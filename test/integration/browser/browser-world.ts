import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import {
  createBrowserSessions,
  type BrowserSessions,
} from '../../../electron/adapters/browser/browser-sessions';
import { createBrowserTools } from '../../../electron/adapters/browser/browser-tools';
import { findBrowser } from '../../../electron/adapters/browser/find-browser';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { Admission, Breaker, Breakers } from '../../../electron/ports/breakers';
import type { JsonValue } from '../../../electron/ports/provider';
import type { ToolHost } from '../../../electron/ports/tools';
import type { ToolOutcome } from '../../../electron/ports/tool-call';
import { toolCall, useTempFolders } from '../tools/call-tool';

/** The Chromium of this computer: these tests need a real one. */
export const CHROMIUM = findBrowser('', process.env);

/** Breakers that only note verdicts; one can be told to refuse. */
interface NotedBreakers extends Pick<Breakers, 'of' | 'find' | 'forget'> {
  readonly verdicts: string[];
  readonly refusing: Set<string>;
}

function notedBreakers(): NotedBreakers {
  const verdicts: string[] = [];
  const refusing = new Set<string>();
  const of = (name: string): Breaker =>
    ({
      name,
      dependency: 'browser',
      allow: (): Admission =>
        refusing.has(name)
          ? {
              kind: 'refused',
              state: 'open',
              retryInMs: 1000,
              reason: `The circuit ${name} is open.`,
            }
          : { kind: 'allowed', generation: 0, isTrial: false, trial: 0 },
      onAlive: () => undefined,
      onSuccess: () => void verdicts.push(`${name} success`),
      onFailure: () => void verdicts.push(`${name} failure`),
      onIgnored: () => void verdicts.push(`${name} ignored`),
    }) as unknown as Breaker;
  return { verdicts, refusing, of, find: () => undefined, forget: () => undefined };
}

interface BrowserWorld {
  readonly host: ToolHost;
  readonly sessions: BrowserSessions;
  readonly breakers: NotedBreakers;
  readonly dir: string;
  /** Calls a tool in a session; its number is that of the turn. */
  call(tool: string, args: JsonValue, session?: number, signal?: AbortSignal): Promise<ToolOutcome>;
  /** The same, as text with its kind in front where it is no good news. */
  say(tool: string, args: JsonValue, session?: number): Promise<string>;
  /** A site on this computer that the browser may reach; its address without a slash at the end. */
  serve(listener: RequestListener, address?: string): Promise<string>;
}

/** What a test needs of it, and what it changes. */
interface WorldOptions {
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly localHosts?: readonly string[];
  readonly program?: string;
}

/** Browsers, folders and servers that go away after the test. */
export function useBrowserWorlds(): (options?: WorldOptions) => BrowserWorld {
  const newFolder = useTempFolders();
  const opened: BrowserSessions[] = [];
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sessions) => sessions.stop(500)));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  return (options = {}) => {
    const dir = newFolder();
    const breakers = notedBreakers();
    const timeoutMs = (): number => options.timeoutMs ?? 30_000;
    const localHosts = (): readonly string[] => options.localHosts ?? ['127.0.0.1', 'localhost'];
    const find = (): ReturnType<typeof findBrowser> =>
      options.program === undefined ? CHROMIUM : { kind: 'found', path: options.program };
    const sessions = createBrowserSessions({
      dir,
      find,
      isHeadless: () => true,
      localHosts,
      timeoutMs,
      idleMs: () => options.idleMs ?? 300_000,
      breakers,
      environment: () =>
        Promise.resolve({ PATH: process.env['PATH'] ?? '', HOME: dir, HOLDFAST_BROWSER_TEST: '1' }),
      hide: (text) => text,
      onOpened: () => undefined,
      onErrorLine: () => undefined,
    });
    opened.push(sessions);
    const host = createBrowserTools({
      sessions: () => Promise.resolve(sessions),
      find,
      sessionOf: (turnId) => turnId,
      timeoutMs,
      localHosts,
      crashPoints: noCrashPoints,
    });
    const call: BrowserWorld['call'] = (tool, args, session = 1, signal) =>
      host.call(
        toolCall(`browser_${tool}`, args, dir, {
          turnId: session,
          ...(signal === undefined ? {} : { signal }),
        }),
      );
    return {
      host,
      sessions,
      breakers,
      dir,
      call,
      async say(tool, args, session) {
        const outcome = await call(tool, args, session);
        if (outcome.kind !== 'result') return `${outcome.kind}: ${outcome.message}`;
        return outcome.isError ? `error: ${outcome.content}` : outcome.content;
      },
      async serve(listener, address = '127.0.0.1') {
        const server = createServer(listener);
        servers.push(server);
        await new Promise<void>((resolve) => server.listen(0, address, resolve));
        return `http://${address}:${String((server.address() as AddressInfo).port)}`;
      },
    };
  };
}

/** A page of HTML. */
export const html =
  (body: string, seen?: string[]): RequestListener =>
  (request, response) => {
    if (request.url !== '/favicon.ico')
      seen?.push(`${String(request.method)} ${String(request.url)}`);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Shop</title><body>${body}</body>`);
  };

export const hostOf = (url: string): string => new URL(url).host;
