import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { timerMs } from '../../../shared/durations';
import { sentence } from '../../../shared/sentence';
import { makeMissingFolders } from '../../disk/missing-folders';
import type { Breaker, Breakers, Permit } from '../../ports/breakers';
import type { ToolOutcome } from '../../ports/tool-call';
import { refused } from '../tools/tool-host';
import { openBrowserPage, type BrowserPage } from './browser-page';
import { CdpGone } from './cdp-pipe';
import type { FoundBrowser } from './find-browser';
import { launchBrowser, type LaunchedBrowser } from './launch-browser';

interface BrowserSessionsDeps {
  /** `D/browser`: one folder per session, created with its first browser. */
  readonly dir: string;
  /** Looked up each time: it may have been installed or configured since. */
  readonly find: () => FoundBrowser;
  readonly isHeadless: () => boolean;
  readonly localHosts: () => readonly string[];
  readonly timeoutMs: () => number;
  readonly idleMs: () => number;
  readonly breakers: Pick<Breakers, 'of' | 'find' | 'forget'>;
  /**
   * Environment of this session's browser, with our marks; first ends what an earlier run left
   * running.
   */
  readonly environment: (sessionId: number) => Promise<Readonly<Record<string, string>>>;
  /**
   * Removes secrets from messages of a browser or its start, because they go to a model and to
   * pages.
   */
  readonly hide: (text: string) => string;
  readonly onOpened: (facts: { sessionId: number; pid: number; program: string }) => void;
  readonly onErrorLine: (sessionId: number, line: string) => void;
}

/** Dependencies of an action, and how it marks that it has started to change something. */
export interface PageUse {
  readonly page: BrowserPage;
  /** Folder of the session. */
  readonly folder: string;
  readonly timeMs: number;
  begun(): void;
  /** The message of a thrown error, safe for display. */
  wordsOf(thrown: unknown): string;
  /** Why the page's requests failed since the last call; at most 5. */
  takeTroubles(): readonly string[];
}

/** The browsers of all sessions: one process with one profile each. */
export interface BrowserSessions {
  /**
   * Runs one action in a session's browser, once: breaker check, no retry (S2-18, S2-28). `opens`:
   * starts a browser if none is open. Never throws.
   */
  use(
    sessionId: number,
    options: { readonly opens: boolean; readonly signal: AbortSignal },
    action: (use: PageUse) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome>;
  /** The session has used its browser in this run. */
  wasUsed(sessionId: number): boolean;
  /**
   * Starts the session's browser if none is open and checks that it responds, past its breaker.
   * @throws
   */
  check(sessionId: number, signal: AbortSignal): Promise<'ok' | 'neither'>;
  /** PIDs of open browsers. */
  open(): readonly { readonly sessionId: number; readonly pid: number }[];
  stop(graceMs: number): Promise<void>;
}

interface OpenBrowser {
  readonly launched: LaunchedBrowser;
  readonly page: BrowserPage;
  idle: NodeJS.Timeout | undefined;
}

/** Maximum open browsers; each takes some 300 MB. */
const MAX_OPEN = 8;
const START_MS = 30_000;
const ALIVE_MS = 2_000;
const END_MS = 2_000;

const breakerName = (sessionId: number): string => `browser.${String(sessionId)}`;
const sessionFolder = (dir: string, sessionId: number): string => join(dir, String(sessionId));

/** Not the browser's fault: no request was sent to it. */
class NotNow extends Error {}

/** Chromium contacts a few hosts on its own; their failures are not reported. */
function troublesOf(page: BrowserPage, all: ReadonlyMap<string, string>): readonly string[] {
  const wanted = page.takeFailedHosts();
  return [...all].flatMap(([host, reason]) => (wanted.has(host) ? [reason] : [])).slice(0, 5);
}

/** Why an action was interrupted. */
type Cut = 'time' | 'abort';
/**
 * Result of an action: its own end, or that it was interrupted and whether the page still responds.
 */
type ActionEnd =
  { readonly outcome: ToolOutcome } | { readonly cut: Cut; readonly isAlive: boolean };

export function createBrowserSessions(deps: BrowserSessionsDeps): BrowserSessions {
  const wordsOf = (thrown: unknown): string =>
    deps.hide(thrown instanceof Error ? thrown.message : String(thrown));
  /**
   * The text of a page is the requested content; an error may quote anything, so it is redacted.
   */
  const shown = (outcome: ToolOutcome): ToolOutcome => {
    if (outcome.kind !== 'result') return { ...outcome, message: deps.hide(outcome.message) };
    return outcome.isError ? { ...outcome, content: deps.hide(outcome.content) } : outcome;
  };
  const browsers = new Map<number, OpenBrowser>();
  const closing = new Map<number, Promise<void>>();
  const busy = new Set<number>();
  const used = new Set<number>();
  let isStopped = false;

  /** Until it resolves, the session's profile is still in use. */
  const close = (sessionId: number, graceMs: number): Promise<void> => {
    const browser = browsers.get(sessionId);
    browsers.delete(sessionId);
    if (browser === undefined) return closing.get(sessionId) ?? Promise.resolve();
    clearTimeout(browser.idle);
    const ended = browser.launched.end(graceMs).finally(() => closing.delete(sessionId));
    closing.set(sessionId, ended);
    return ended;
  };

  const makeRoom = async (): Promise<void> => {
    if (browsers.size < MAX_OPEN) return;
    // In the order of use: the most recent one is last.
    const eldest = [...browsers.keys()].find((sessionId) => !busy.has(sessionId));
    if (eldest === undefined)
      throw new NotNow(
        `${String(MAX_OPEN)} browsers are already in use; try again when one is free`,
      );
    await close(eldest, END_MS);
  };

  const start = async (sessionId: number, signal: AbortSignal): Promise<OpenBrowser> => {
    const found = deps.find();
    if (found.kind === 'missing') throw new NotNow(found.reason);
    const program = found.path;
    await closing.get(sessionId);
    await makeRoom();
    const env = await deps.environment(sessionId);
    const folder = sessionFolder(deps.dir, sessionId);
    makeMissingFolders(folder);
    const now = new Date();
    await utimes(folder, now, now); // Retention uses this time.
    signal.throwIfAborted();
    if (isStopped) throw new NotNow('Holdfast is stopping');
    const launched = await launchBrowser({
      program,
      profile: join(folder, 'profile'),
      isHeadless: deps.isHeadless(),
      env,
      localHosts: deps.localHosts,
      onErrorLine: (line) => deps.onErrorLine(sessionId, line),
    });
    const limit = setTimeout(
      () => launched.cdp.close(`it did not respond within ${String(START_MS / 1000)} s`),
      START_MS,
    );
    const stopStart = (): void => launched.cdp.close('it was stopped');
    signal.addEventListener('abort', stopStart, { once: true });
    try {
      const page = await openBrowserPage(launched.cdp);
      if (isStopped) throw new CdpGone('Holdfast is stopping');
      const browser: OpenBrowser = { launched, page, idle: undefined };
      browsers.set(sessionId, browser);
      void launched.cdp.closed.then(() => {
        if (browsers.get(sessionId) === browser) void close(sessionId, 0);
      });
      deps.onOpened({ sessionId, pid: launched.process.pid, program });
      return browser;
    } catch (error) {
      await launched.end(0);
      const words = launched.process.lastWords().split('\n').at(-1) ?? '';
      throw new Error(
        `the browser ${program} could not be started: ${error instanceof Error ? error.message : String(error)}${words === '' ? '' : ` Its last output: ${words.slice(0, 300)}`}`,
      );
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', stopStart);
    }
  };

  const rest = (sessionId: number): void => {
    const browser = browsers.get(sessionId);
    if (browser === undefined) return;
    clearTimeout(browser.idle);
    browser.idle = setTimeout(() => {
      void close(sessionId, END_MS);
      // One that works is not worth a line in a list for ever; one that fails keeps its count.
      const breaker = deps.breakers.find(breakerName(sessionId))?.view();
      if (breaker?.state === 'closed' && breaker.failures === 0)
        deps.breakers.forget(breakerName(sessionId));
    }, timerMs(deps.idleMs()));
    browser.idle.unref();
  };

  /** Ends an action at its time limit or with its turn, by aborting its current wait. */
  const bounded = async (
    sessionId: number,
    browser: OpenBrowser,
    signal: AbortSignal,
    action: () => Promise<ToolOutcome>,
  ): Promise<ActionEnd> => {
    let cutNow: (cut: Cut) => void = () => undefined;
    const cut = new Promise<Cut>((resolve) => (cutNow = resolve));
    const timer = setTimeout(() => cutNow('time'), timerMs(deps.timeoutMs()));
    const onAbort = (): void => cutNow('abort');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const running = action();
      running.catch(() => undefined); // Answered below, or no longer relevant.
      const first = await Promise.race([running.then((outcome) => ({ outcome })), cut]);
      if (typeof first !== 'string') return first;
      // A site that does not respond does not mean that the browser is hung, so the browser is
      // checked. Loading is stopped first: during a navigation to another site, its answers are
      // delayed.
      browser.page.stopLoading();
      const isAlive = first === 'time' && (await browser.page.isAlive(ALIVE_MS));
      if (!isAlive) await close(sessionId, 0);
      return { cut: first, isAlive };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };

  /** The action has ended, or was interrupted: by the turn, or at its time limit. */
  const ended = (
    end: ActionEnd,
    breaker: Breaker,
    admission: Permit,
    failed: (message: string) => ToolOutcome,
  ): ToolOutcome => {
    if ('outcome' in end) {
      breaker.onSuccess(admission);
      return shown(end.outcome);
    }
    if (end.cut === 'abort') {
      breaker.onIgnored(admission);
      return failed('It was stopped, and the browser was closed.');
    }
    const limit = `${String(deps.timeoutMs() / 1000)} s`;
    if (end.isAlive) {
      breaker.onSuccess(admission);
      return failed(`The site sent no complete response within ${limit}.`);
    }
    breaker.onFailure(admission, `The page hung for ${limit}.`);
    return failed(
      `The page hung for ${limit} and stopped responding; its browser was closed. Open another page with browser_navigate.`,
    );
  };

  const thrownBy = async (
    sessionId: number,
    thrown: unknown,
    call: {
      readonly signal: AbortSignal;
      readonly breaker: Breaker;
      readonly admission: Permit;
      readonly failed: (message: string) => ToolOutcome;
    },
  ): Promise<ToolOutcome> => {
    const { signal, breaker, admission, failed } = call;
    const message = wordsOf(thrown);
    if (signal.aborted || thrown instanceof NotNow) {
      breaker.onIgnored(admission);
      return failed(signal.aborted ? 'It was stopped.' : sentence(message));
    }
    if (thrown instanceof CdpGone || !browsers.has(sessionId)) {
      breaker.onFailure(admission, message);
      await close(sessionId, 0);
      return failed(
        thrown instanceof CdpGone
          ? `The browser has ended: ${sentence(message)} The next browser_navigate starts another.`
          : sentence(message),
      );
    }
    // The browser answered, only not with the requested result.
    breaker.onSuccess(admission);
    return failed(`The page could not be used just now: ${sentence(message)}`);
  };

  return {
    async use(sessionId, { opens, signal }, action) {
      if (isStopped) return { kind: 'failed', message: 'Holdfast is stopping.', isRetryable: true };
      const breaker = deps.breakers.of(breakerName(sessionId), 'browser');
      const admission = breaker.allow();
      if (admission.kind === 'refused') {
        return {
          kind: 'failed',
          message: `The browser of this session has failed too often and is not used for a while; nothing was done. ${admission.reason} Continue without it, or try later.`,
          isRetryable: true,
        };
      }
      let hasBegun = false;
      const failed = (message: string): ToolOutcome =>
        hasBegun
          ? { kind: 'unknown', message }
          : { kind: 'failed', message: `${message} Nothing was changed.`, isRetryable: true };
      busy.add(sessionId);
      used.add(sessionId);
      try {
        let browser = browsers.get(sessionId);
        if (browser === undefined && !opens) {
          breaker.onIgnored(admission);
          return refused(
            'No page is open in this session: its browser was closed. Open the page with browser_navigate first.',
          );
        }
        browser ??= await start(sessionId, signal);
        breaker.onAlive(admission);
        clearTimeout(browser.idle);
        browsers.delete(sessionId);
        browsers.set(sessionId, browser);
        const { page, launched } = browser;
        const end = await bounded(sessionId, browser, signal, () =>
          action({
            page,
            folder: sessionFolder(deps.dir, sessionId),
            timeMs: deps.timeoutMs(),
            begun: () => (hasBegun = true),
            wordsOf,
            takeTroubles: () => troublesOf(page, launched.gate.takeTroubles()),
          }),
        );
        return ended(end, breaker, admission, failed);
      } catch (thrown) {
        return await thrownBy(sessionId, thrown, { signal, breaker, admission, failed });
      } finally {
        busy.delete(sessionId);
        rest(sessionId);
      }
    },
    wasUsed: (sessionId) => used.has(sessionId),
    async check(sessionId, signal) {
      if (isStopped || busy.has(sessionId)) return 'neither';
      busy.add(sessionId);
      try {
        const browser = browsers.get(sessionId) ?? (await start(sessionId, signal));
        if (await browser.page.isAlive(ALIVE_MS)) return 'ok';
        await close(sessionId, 0);
        throw new Error('The browser is not responding.');
      } catch (thrown) {
        if (thrown instanceof NotNow || signal.aborted) return 'neither';
        throw new Error(wordsOf(thrown), { cause: thrown });
      } finally {
        busy.delete(sessionId);
        rest(sessionId);
      }
    },
    open: () =>
      [...browsers].map(([sessionId, { launched }]) => ({ sessionId, pid: launched.process.pid })),
    async stop(graceMs) {
      isStopped = true;
      const last = [...browsers.keys()].map((sessionId) => close(sessionId, graceMs));
      await Promise.all([...last, ...closing.values()]);
    },
  };
}

/**
 * Removes the files of sessions that have opened no browser since `beforeMs`: their profile and
 * their screenshots. Returns the number of sessions.
 */
export async function pruneBrowserFolders(
  dir: string,
  beforeMs: number,
  isOpen: (sessionId: number) => boolean,
): Promise<number> {
  let removed = 0;
  for (const name of await readdir(dir).catch(() => [])) {
    if (!/^[1-9]\d{0,15}$/.test(name) || isOpen(Number(name))) continue;
    const folder = join(dir, name);
    const facts = await stat(folder).catch(() => undefined);
    if (facts === undefined || !facts.isDirectory() || facts.mtimeMs >= beforeMs) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    removed += 1;
  }
  return removed;
}
