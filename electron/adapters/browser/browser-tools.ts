import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeMissingFolders } from '../../disk/missing-folders';
import { z } from 'zod';
import { once } from '../../../shared/once';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import type { ToolHost } from '../../ports/tools';
import type { CallRisk } from '../../ports/tool-call';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import { isTemporaryName } from '../../disk/temporary-names';
import { writeDurably } from '../../disk/durable-file';
import { checkUrl, notPublic } from '../fetch/checked-address';
import { isAllowedAddress } from '../fetch/public-address';
import {
  createToolHost,
  defineTool,
  done,
  inertLine,
  quoted,
  refused,
  type ToolDefinition,
} from '../tools/tool-host';
import type { BrowserPage, Placed } from './browser-page';
import { CdpGone } from './cdp-pipe';
import type { BrowserSessions, PageUse } from './browser-sessions';
import type { FoundBrowser } from './find-browser';
import { isListedHost } from './listed-host';

/** Limits on the text that a model gets. */
const BROWSER_LIMITS = {
  /** Text with the result of `navigate`, `click`, `type` and `screenshot`. */
  shortChars: 4_000,
  /** Text of one `read`. */
  readChars: 64 * 1024,
  /** Maximum length of a page that is read. */
  maxOffset: 4 * 1024 * 1024,
} as const;

interface BrowserToolsDeps {
  /** Loaded with the first call. */
  readonly sessions: () => Promise<BrowserSessions>;
  /** Looked up when the tools are listed; if it is missing, no tools are offered. */
  readonly find: () => FoundBrowser;
  readonly sessionOf: (turnId: number) => number | undefined;
  /** Maximum duration of an action, including the browser's start. */
  readonly timeoutMs: () => number;
  readonly localHosts: () => readonly string[];
  readonly crashPoints: CrashPoints;
}

const START_MS = 30_000;
const NAMES = ['navigate', 'read', 'screenshot', 'click', 'type'] as const;
const offered = (name: (typeof NAMES)[number]): string => `browser_${name}`;

const site = once(() =>
  z
    .string()
    .min(1)
    .max(255)
    .describe('Host of the page as returned by navigate or read, such as shop.example'),
);
const target = once(() =>
  z
    .string()
    .min(1)
    .max(500)
    .describe('Visible text or label of it, or a CSS selector after "css="'),
);
const nth = once(() =>
  z.number().int().min(1).max(20).optional().describe('Which of several; 1 is the first'),
);

/** Dependencies of the browser tools. */
interface Bench extends Pick<BrowserToolsDeps, 'localHosts' | 'crashPoints'> {
  readonly timeoutMs: () => number;
  /** Runs an action on the page of the call's session; `opens`: starts a browser if needed. */
  readonly act: (
    call: ToolCall,
    opens: boolean,
    action: (use: PageUse) => Promise<ToolOutcome>,
  ) => Promise<ToolOutcome>;
}

/** Tools that only read. */
const lookingTools = (bench: Bench): readonly ToolDefinition[] => {
  const { act, timeoutMs } = bench;
  return [
    defineTool({
      name: 'navigate',
      offeredAs: offered('navigate'),
      description:
        'Opens a page in a browser of this session (https or http, public internet only) and returns its address and the beginning of its text. For pages that need scripts; otherwise web_fetch is quicker.',
      purity: 'world',
      timeoutMs,
      args: () => z.strictObject({ url: z.string().min(1).max(4096) }),
      hint: (args) => args.url,
      async run(args, call) {
        const url = checkUrl(args.url, () => true);
        const why = typeof url === 'string' ? url : refusedHost(url, bench.localHosts());
        if (why !== undefined || typeof url === 'string')
          return refused(`${inertLine(args.url)} was not opened: ${inertLine(why ?? '')}.`);
        return act(call, true, async (use) => {
          const problem = await use.page.navigate(url.href);
          if (problem !== undefined) return notOpened(use, args.url, problem);
          return pageAnswer(use, `Opened ${inertLine(args.url)}`, false);
        });
      },
    }),
    defineTool({
      name: 'read',
      offeredAs: offered('read'),
      description: `Returns the visible text of the open page with links, buttons and fields, at most ${String(BROWSER_LIMITS.readChars / 1024)} K characters from offset on.`,
      purity: 'world',
      timeoutMs,
      args: () =>
        z.strictObject({
          offset: z.number().int().min(0).max(BROWSER_LIMITS.maxOffset).optional(),
        }),
      hint: (args) => (args.offset === undefined ? '' : `from character ${String(args.offset)}`),
      run: (args, call) =>
        act(call, false, async (use) => {
          const offset = args.offset ?? 0;
          const { text, hasMore, isLate } = await use.page.read(offset, BROWSER_LIMITS.readChars);
          const head = await headLines(use.page);
          const end = offset + text.length;
          const cut = isLate
            ? ['[the page is so large that only a part of it was read]']
            : hasMore
              ? [`[truncated; continue with offset ${String(end)}]`]
              : [];
          return done([...head, ...besides(use), '', tidy(text), ...cut].join('\n'));
        }),
    }),
    defineTool({
      name: 'screenshot',
      offeredAs: offered('screenshot'),
      description:
        'Takes a screenshot of the visible part of the open page for the user, and returns where it is stored, its size, and the beginning of the text.',
      purity: 'world',
      timeoutMs,
      args: () => z.strictObject({}),
      hint: () => '',
      run: (_args, call) =>
        act(call, false, async (use) => {
          const picture = await use.page.screenshot();
          const kept = await keepPicture(use.folder, picture, bench.crashPoints);
          return pageAnswer(use, kept, false);
        }),
    }),
  ];
};

/** Tools that change something and need permission. */
const doingTools = ({ act, timeoutMs }: Bench): readonly ToolDefinition[] => [
  defineTool({
    name: 'click',
    offeredAs: offered('click'),
    description:
      'Clicks one link, button or other element of the open page, as a user would, and returns the page afterward.',
    purity: 'side_effect',
    isProposedForGate: true,
    timeoutMs,
    args: () => z.strictObject({ site: site(), target: target(), nth: nth() }),
    hint: (args) => `${args.target} on ${args.site}`,
    question: (args) => `Was ${quoted(args.target)} clicked on ${quoted(args.site)}?`,
    risk: (args) =>
      leaves(args.site, `It clicks on ${args.site}, which can send or order something there.`),
    run: (args, call) =>
      act(call, false, async (use) => {
        const place = await placeOn(use, args, false);
        if (place.kind === 'not_found') return refused(`Nothing was clicked: ${place.reason}.`);
        use.begun();
        await use.page.click(place);
        return afterward(use, `Clicked ${place.role} ${quoted(place.name)} on ${args.site}.`);
      }),
  }),
  defineTool({
    name: 'type',
    offeredAs: offered('type'),
    description:
      'Replaces the text of one field of the open page, or chooses an entry of a list; with submit presses Enter after it. Not for passwords and keys: typed text is recorded.',
    purity: 'side_effect',
    isProposedForGate: true,
    timeoutMs,
    args: () =>
      z.strictObject({
        site: site(),
        target: target(),
        nth: nth(),
        text: z.string().max(20_000),
        submit: z.boolean().optional(),
      }),
    hint: (args) => `${args.target} on ${args.site}`,
    question: (args) =>
      args.submit === true
        ? `Was ${quoted(args.text)} sent on ${quoted(args.site)}?`
        : `Was ${quoted(args.text)} typed on ${quoted(args.site)}?`,
    risk: (args) =>
      leaves(
        args.site,
        `It types into a page of ${args.site}; typed text can leave this computer.`,
      ),
    run: (args, call) =>
      act(call, false, async (use) => {
        const place = await placeOn(use, args, true);
        if (place.kind === 'not_found') return refused(`Nothing was typed: ${place.reason}.`);
        use.begun();
        const problem = await use.page.fill({ target: args.target, nth: args.nth }, args.text);
        if (problem !== undefined) return refused(`Nothing was typed: ${problem}.`);
        if (args.submit === true) await use.page.pressEnter();
        const sent = args.submit === true ? ' and pressed Enter' : '';
        return afterward(use, `Typed into ${quoted(place.name)} on ${args.site}${sent}.`);
      }),
  }),
];

/**
 * The tools of a browser: `navigate`, `read` and `screenshot` only read, `click` and `type` change
 * something there and need permission. One Chromium per session; each call is tried once. Rows
 * S2-18, S2-28.
 */
export function createBrowserTools(deps: BrowserToolsDeps): ToolHost {
  const bench: Bench = {
    ...deps,
    timeoutMs: () => deps.timeoutMs() + START_MS,
    async act(call, opens, action) {
      const sessionId = deps.sessionOf(call.turnId);
      if (sessionId === undefined)
        return { kind: 'failed', message: 'This turn has no session.', isRetryable: false };
      const sessions = await deps.sessions();
      return sessions.use(sessionId, { opens, signal: call.signal }, action);
    },
  };
  const host = createToolHost('browser', [...lookingTools(bench), ...doingTools(bench)]);
  return {
    ...host,
    tools: () => (deps.find().kind === 'found' ? host.tools() : NOTHING),
    whyAbsent(name) {
      if (!NAMES.some((one) => offered(one) === name)) return undefined;
      const found = deps.find();
      return found.kind === 'missing' ? found.reason : undefined;
    },
  };
}

const NOTHING: ReturnType<ToolHost['tools']> = [];

const leaves = (host: string, reason: string): CallRisk => ({
  isRisky: true,
  reason: inertLine(reason),
  covers: /^[\w.:[\]-]{1,255}$/.test(host) ? host.toLowerCase() : '',
});

/** A numeric address is rejected at once; a name after its lookup, by the gate. */
function refusedHost(url: URL, localHosts: readonly string[]): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = checkUrl(url.href, (address) =>
    isAllowedAddress(address, { allowLoopback: false }),
  );
  if (typeof isLocal !== 'string') return undefined;
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return isListedHost(localHosts, host, port)
    ? undefined
    : `${notPublic(host)}; the setting browser.local_hosts can name it`;
}

/** Finds the requested element on the requested site, so that exactly the approved action runs. */
async function placeOn(
  use: PageUse,
  args: { readonly site: string; readonly target: string; readonly nth?: number | undefined },
  isForText: boolean,
): Promise<Placed> {
  const { host } = await use.page.head();
  if (host.toLowerCase() !== args.site.toLowerCase()) {
    const reason = `the open page is on ${host === '' ? 'no site' : inertLine(host)}, not on ${inertLine(args.site)}`;
    return { kind: 'not_found', reason };
  }
  const { target: what, nth: which } = args;
  return use.page.place({ target: what, nth: which }, isForText);
}

async function notOpened(use: PageUse, url: string, problem: string): Promise<ToolOutcome> {
  const why = [...use.takeTroubles(), ...use.page.takeNotes()];
  const reason = why.length === 0 ? `the browser says ${inertLine(problem)}` : why.join('; ');
  return refused(`${inertLine(url)} was not opened: ${reason.replace(/\.$/, '')}.`);
}

/** The action is done: a failure to describe the page afterward does not undo it. */
async function afterward(use: PageUse, did: string): Promise<ToolOutcome> {
  const settled = await use.page.settle();
  return pageAnswer(use, did, settled === 'still_loading');
}

async function pageAnswer(use: PageUse, did: string, isLoading: boolean): Promise<ToolOutcome> {
  const lines = [did, ...(isLoading ? ['The page is still loading.'] : [])];
  try {
    const head = await headLines(use.page);
    const { text, hasMore, isLate } = await use.page.read(0, BROWSER_LIMITS.shortChars);
    const more = hasMore || isLate ? ['[truncated; browser_read returns more]'] : [];
    return done([...lines, ...head, ...besides(use), '', tidy(text), ...more].join('\n'));
  } catch (error) {
    if (error instanceof CdpGone) throw error;
    const why = inertLine(use.wordsOf(error));
    return done([...lines, `The page could not be read afterward: ${why}.`].join('\n'));
  }
}

async function headLines(page: BrowserPage): Promise<readonly string[]> {
  const head = await page.head();
  return [
    `URL: ${inertLine(head.url)}`,
    `Site: ${inertLine(head.host)}`,
    ...(head.title === '' ? [] : [`Title: ${inertLine(head.title)}`]),
    ...(head.status === 0 ? [] : [`Status: ${String(head.status)}`]),
  ];
}

const besides = (use: PageUse): readonly string[] => [
  ...use.page.takeNotes(),
  ...use.takeTroubles().map((trouble) => `Not loaded: ${trouble}`),
];

const tidy = (text: string): string =>
  text
    .replaceAll('\0', '\ufffd')
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

/** Stored by content hash, so that a call repeated after a crash finds the same picture. */
async function keepPicture(
  folder: string,
  picture: Buffer,
  crashPoints: CrashPoints,
): Promise<string> {
  if (picture.length < 24 || picture.toString('latin1', 1, 4) !== 'PNG')
    throw new Error('the browser returned no screenshot');
  const name = `${createHash('sha256').update(picture).digest('hex').slice(0, 32)}.png`;
  const shots = join(folder, 'screenshots');
  const path = join(shots, name);
  makeMissingFolders(shots);
  // Only one browser writes here, so temporary files are leftovers of a crash.
  for (const left of (await readdir(shots)).filter(isTemporaryName))
    await rm(join(shots, left), { force: true });
  if ((await stat(path).catch(() => undefined)) === undefined) {
    await writeDurably(path, picture, {
      beforeRename: () => crashPoints.hit('picture.write.beforeRename'),
      afterRename: () => crashPoints.hit('picture.write.afterRename'),
    });
  }
  const size = `${String(picture.readUInt32BE(16))} x ${String(picture.readUInt32BE(20))} pixels, ${String(Math.ceil(picture.length / 1024))} KB`;
  return `Picture: ${path} (PNG, ${size})`;
}
