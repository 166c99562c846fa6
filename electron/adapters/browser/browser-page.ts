import { inertLine } from '../tools/tool-host';
import type { CdpPipe, Fields } from './cdp-pipe';
import { CdpGone, CdpRefused, fieldsOf } from './cdp-pipe';
import { PAGE_SCRIPT } from './page-script';
import { textIn } from '../../engine/kernel/json-object';

/** Address and title of a page. */
interface PageHead {
  readonly url: string;
  /** Includes the port unless it is the default one; empty if no page is open. */
  readonly host: string;
  readonly title: string;
  /** HTTP status of the page itself; 0 if it has none. */
  readonly status: number;
}

/** An element's position in the page, or why there is none. */
export type Placed =
  | {
      readonly kind: 'found';
      readonly name: string;
      readonly role: string;
      readonly x: number;
      readonly y: number;
    }
  | { readonly kind: 'not_found'; readonly reason: string };

export interface Target {
  readonly target: string;
  /** Index among several with the same name; 1 is the first. */
  readonly nth?: number | undefined;
}

/** The one page of one browser. Every method sends each command once. @throws CdpRefused, CdpGone */
export interface BrowserPage {
  /** Undefined on success; otherwise why it failed. */
  navigate(url: string): Promise<string | undefined>;
  head(): Promise<PageHead>;
  read(offset: number, limit: number): Promise<{ text: string; hasMore: boolean; isLate: boolean }>;
  screenshot(): Promise<Buffer>;
  /** Finds the one matching element; changes only the scroll position. */
  place(target: Target, isForText: boolean): Promise<Placed>;
  click(at: { readonly x: number; readonly y: number }): Promise<void>;
  /** Undefined if the field now contains the text; otherwise why nothing was typed. */
  fill(target: Target, text: string): Promise<string | undefined>;
  pressEnter(): Promise<void>;
  /** Waits after an action until nothing is loading, at most 10 s. */
  settle(): Promise<'done' | 'still_loading'>;
  stopLoading(): void;
  /** True if the page responds within `waitMs`. */
  isAlive(waitMs: number): Promise<boolean>;
  /** Side events since the last call; foreign text made inert. */
  takeNotes(): readonly string[];
  /** Hosts that the page could not reach since the last call. */
  takeFailedHosts(): ReadonlySet<string>;
}

const SETTLE_MS = 10_000;
/** A page may start to load another one this long after an action. */
const STARTS_WITHIN_MS = 400;
const SCRIPT_MS = 10_000;
const READ_MS = 5_000;
const PAGE_CHANGED =
  'the page navigated to another one while it was read. It may reload all the time';
const MAX_NOTES = 10;
const MAX_HOSTS = 50;

/** Attaches to the first page of a browser that was just started. @throws CdpRefused, CdpGone */
export async function openBrowserPage(cdp: CdpPipe): Promise<BrowserPage> {
  const notes: string[] = [];
  const note = (text: string): void => {
    if (notes.length < MAX_NOTES) notes.push(inertLine(text));
    else if (notes.length === MAX_NOTES) notes.push('(more of this kind is left out)');
  };
  let failedHosts = new Set<string>();
  const failedAt = (url: string): void => {
    if (failedHosts.size < MAX_HOSTS && URL.canParse(url))
      failedHosts.add(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  };
  const quietly = (method: string, params: Fields, sessionId?: string): void => {
    cdp.send(method, params, sessionId).catch(() => undefined); // If it is gone, the action reports that.
  };

  await cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
  const targets = await cdp.send('Target.getTargets');
  const pages = (targets['targetInfos'] as Fields[]).filter((one) => one['type'] === 'page');
  const own =
    textIn(pages[0]?.['targetId']) ||
    textIn((await cdp.send('Target.createTarget', { url: 'about:blank' }))['targetId']);
  cdp.on('Target.targetCreated', (params) => {
    const info = fieldsOf(params['targetInfo']);
    const id = textIn(info['targetId']);
    if (info['type'] === 'page' && id !== own) quietly('Target.closeTarget', { targetId: id });
  });
  await cdp.send('Target.setDiscoverTargets', { discover: true });
  const attached = await cdp.send('Target.attachToTarget', { targetId: own, flatten: true });
  const session = textIn(attached['sessionId']);
  const send = (method: string, params: Fields = {}): Promise<Fields> =>
    cdp.send(method, params, session);
  const on = (method: string, listener: (params: Fields) => void): void =>
    cdp.on(method, (params, from) => {
      if (from === session) listener(params);
    });

  let mainFrame = own;
  let isLoading = false;
  const changes = new Set<() => void>();
  const changed = (): void => {
    for (const listener of [...changes]) listener();
  };
  for (const [method, isStart] of [
    ['Page.frameStartedLoading', true],
    ['Page.frameStoppedLoading', false],
  ] as const) {
    on(method, (params) => {
      if (params['frameId'] !== mainFrame) return;
      isLoading = isStart;
      changed();
    });
  }
  /** Resolves when `test` is true, or with false after `waitMs`. */
  const until = (test: () => boolean, waitMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (isSo: boolean): void => {
        clearTimeout(timer);
        changes.delete(look);
        resolve(isSo);
      };
      const look = (): void => {
        if (test()) end(true);
      };
      const timer = setTimeout(() => end(test()), waitMs);
      changes.add(look);
      void cdp.closed.then(() => end(false));
      look();
    });

  on('Page.javascriptDialogOpening', (params) => {
    const type = textIn(params['type']);
    const accept = type === 'alert' || type === 'beforeunload';
    quietly('Page.handleJavaScriptDialog', { accept }, session);
    if (type !== 'beforeunload')
      note(
        `The page showed a dialog (${type}), answered with ${accept ? 'OK' : 'Cancel'}: ${textIn(params['message']).slice(0, 300)}`,
      );
  });
  on('Page.windowOpen', (params) => {
    note(
      `The page opened a window for ${textIn(params['url']).slice(0, 300)}. It was closed; open that address with browser_navigate if you need it.`,
    );
  });
  on('Page.fileChooserOpened', () =>
    note('The page asked for a file; this tool does not provide one.'),
  );
  cdp.on('Browser.downloadWillBegin', (params) => {
    note(`A download was blocked: ${textIn(params['suggestedFilename']).slice(0, 150)}.`);
  });
  on('Log.entryAdded', (params) => failedAt(textIn(fieldsOf(params['entry'])['url'])));
  on('Inspector.targetCrashed', () => cdp.close('the page crashed'));
  await Promise.all([
    send('Page.enable'),
    send('Inspector.enable'),
    send('Log.enable'),
    send('Page.setInterceptFileChooserDialog', { enabled: true }),
  ]);
  const frame = async (): Promise<Fields> =>
    fieldsOf(fieldsOf((await send('Page.getFrameTree'))['frameTree'])['frame']);
  mainFrame = textIn((await frame())['id']);

  /** Runs one function of the page script in a world that the page's scripts cannot reach. */
  const ask = async (name: string, request: object = {}): Promise<Fields> => {
    const answer = await evaluate(name, request).catch((error: unknown) => {
      // The protocol's error for a page that has changed.
      throw error instanceof CdpRefused ? new Error(PAGE_CHANGED, { cause: error }) : error;
    });
    if (answer['exceptionDetails'] !== undefined) {
      const thrown = fieldsOf(fieldsOf(answer['exceptionDetails'])['exception']);
      throw new Error(
        `the page could not be read (${textIn(thrown['description']).slice(0, 200)})`,
      );
    }
    return fieldsOf(fieldsOf(answer['result'])['value']);
  };
  const evaluate = async (name: string, request: object): Promise<Fields> => {
    const world = await send('Page.createIsolatedWorld', {
      frameId: mainFrame,
      worldName: 'holdfast',
    });
    return send('Runtime.evaluate', {
      expression: `(${PAGE_SCRIPT}).${name}(${JSON.stringify(request)})`,
      contextId: world['executionContextId'],
      returnByValue: true,
      timeout: SCRIPT_MS,
    });
  };
  const press = (type: string, text?: string): Promise<Fields> =>
    send('Input.dispatchKeyEvent', {
      type,
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 13,
      ...(text === undefined ? {} : { text }),
    });

  return {
    async navigate(url) {
      const answer = await send('Page.navigate', { url });
      const error = textIn(answer['errorText']);
      if (error === '') {
        await until(() => !isLoading, SETTLE_MS);
        return undefined;
      }
      failedAt(url);
      failedAt(textIn((await frame())['unreachableUrl'])); // The target of a redirect.
      return error.replace(/^net::/, '').slice(0, 100);
    },
    async head() {
      const head = await ask('head');
      const { status } = head;
      return {
        url: textIn(head['url']),
        host: textIn(head['host']),
        title: textIn(head['title']),
        status: typeof status === 'number' ? status : 0,
      };
    },
    async read(offset, limit) {
      const answer = await ask('read', { offset, limit, timeMs: READ_MS });
      return {
        text: textIn(answer['text']),
        hasMore: answer['hasMore'] === true,
        isLate: answer['isLate'] === true,
      };
    },
    async screenshot() {
      const answer = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(textIn(answer['data']), 'base64');
    },
    place: async (target, isForText) => placedOf(await ask('place', { ...target, isForText })),
    async click(at) {
      const mouse = (type: string, more: Fields): Promise<Fields> =>
        send('Input.dispatchMouseEvent', { type, x: at.x, y: at.y, ...more });
      await mouse('mouseMoved', {});
      await mouse('mousePressed', { button: 'left', clickCount: 1 });
      await mouse('mouseReleased', { button: 'left', clickCount: 1 });
    },
    async fill(target, text) {
      const answer = await ask('fill', { ...target, text });
      const names = namesOf(answer['names']);
      switch (answer['kind']) {
        case 'set':
          return undefined;
        case 'focused':
          if (text === '') {
            const key = { key: 'Delete', code: 'Delete', windowsVirtualKeyCode: 46 };
            await send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
            await send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
          } else await send('Input.insertText', { text });
          return undefined;
        case 'no_option':
          return `the list has no such entry. It has: ${names}`;
        default:
          return 'the field has just disappeared';
      }
    },
    async pressEnter() {
      await press('keyDown', '\r');
      await press('keyUp');
    },
    async settle() {
      await until(() => isLoading, STARTS_WITHIN_MS);
      return (await until(() => !isLoading, SETTLE_MS)) ? 'done' : 'still_loading';
    },
    stopLoading: () => quietly('Page.stopLoading', {}, session),
    isAlive: (waitMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), waitMs);
        const end = (isSo: boolean): void => {
          clearTimeout(timer);
          resolve(isSo);
        };
        send('Runtime.evaluate', { expression: '1' }).then(
          () => end(true),
          (error: unknown) => end(!(error instanceof CdpGone)),
        );
      }),
    takeNotes: () => notes.splice(0),
    takeFailedHosts() {
      const taken = failedHosts;
      failedHosts = new Set();
      return taken;
    },
  };
}

const namesOf = (value: unknown): string =>
  Array.isArray(value) ? value.map((name) => inertLine(textIn(name))).join('; ') : '';

function placedOf(answer: Fields): Placed {
  const { kind, x, y } = answer;
  if (kind === 'found' && typeof x === 'number' && typeof y === 'number') {
    return {
      kind: 'found',
      name: inertLine(textIn(answer['name'])),
      role: inertLine(textIn(answer['role'])),
      x,
      y,
    };
  }
  return { kind: 'not_found', reason: whyNotFound(answer) };
}

function whyNotFound(answer: Fields): string {
  const names = namesOf(answer['names']);
  switch (answer['kind']) {
    case 'none': {
      const near = namesOf(answer['near']);
      return near === ''
        ? 'the page has no element with that name'
        : `the page has no element with that name. It has: ${near}`;
    }
    case 'many':
      return `more than one element has that name; choose one with nth (1 is the first): ${names}`;
    case 'few':
      return `there are only ${String(Number(answer['count']))} with that name`;
    case 'bad_selector':
      return 'this is not a CSS selector';
    case 'disabled':
      return 'it is disabled in the page';
    case 'hidden':
      return 'it has no size in the page';
    case 'covered':
      return `it is covered by: ${inertLine(textIn(answer['by']))}`;
    case 'file':
      return 'it asks for a file, which this tool does not provide';
    case 'not_a_field':
      return 'nothing can be typed there';
    default:
      return 'it could not be found';
  }
}
