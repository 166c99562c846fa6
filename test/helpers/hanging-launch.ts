/**
 * Says what an app that does not come up is doing: which process, in which state, with which stack.
 * So a launch that hangs is told apart: the app is stuck, or the driver has lost an app that answers.
 */
import WebSocket from 'ws';
import { describeProcess, listeningPorts, parentOf, processesOf } from './app-processes';

const ANSWER_LIMIT_MS = 2_000;

interface Target {
  readonly type: string;
  readonly title?: string;
  readonly url: string;
  readonly webSocketDebuggerUrl?: string;
}
interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number };
}
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly params?: { readonly callFrames?: readonly Frame[] };
}

/** The message that fits, or undefined when none came in time. */
type Ask = (
  method: string,
  params: object,
  fits?: (message: Message, id: number) => boolean,
) => Promise<Message | undefined>;

async function targetsAt(port: number): Promise<readonly Target[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, {
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return (await answer.json()) as Target[];
  } catch {
    return []; // A port of something else, or of somebody who does not answer.
  }
}

async function withTarget<T>(url: string, use: (ask: Ask) => Promise<T>): Promise<T> {
  const socket = new WebSocket(url, { handshakeTimeout: ANSWER_LIMIT_MS });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
  let lastId = 0;
  const ask: Ask = async (method, params, fits = (message, id) => message.id === id) => {
    const id = (lastId += 1);
    return new Promise((resolve) => {
      const limit = setTimeout(() => resolve(undefined), ANSWER_LIMIT_MS);
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString('utf8')) as Message;
        if (!fits(message, id)) return;
        clearTimeout(limit);
        resolve(message);
      });
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id, method, params }));
    });
  };
  try {
    return await use(ask);
  } finally {
    socket.terminate();
  }
}

const valueOf = (message: Message | undefined): string =>
  typeof message?.result?.result?.value === 'string' ? message.result.result.value : 'no answer';

/** Evaluated in the main process: what it has open, and its windows where it is Electron. */
const STATE = `(() => {
  const open = process.getActiveResourcesInfo().join(' ');
  if (!process.versions.electron) return open;
  const { app, BrowserWindow } = require('electron');
  const windows = BrowserWindow.getAllWindows().map(
    (one) => one.webContents.getURL() + (one.webContents.isLoading() ? ' (loading)' : ''),
  );
  return open + '; ready: ' + app.isReady() + '; windows: ' + (windows.join(', ') || 'none');
})()`;

async function describeMain(url: string): Promise<readonly string[]> {
  return withTarget(url, async (ask) => {
    const turn = await ask('Runtime.evaluate', {
      expression: `new Promise((done) => setTimeout(done, 10, 'turned'))`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (valueOf(turn) === 'turned') {
      const state = await ask('Runtime.evaluate', {
        expression: STATE,
        includeCommandLineAPI: true,
        returnByValue: true,
      });
      return [`The event loop of the main process turns. Open: ${valueOf(state)}`];
    }
    await ask('Debugger.enable', {});
    const paused = await ask('Debugger.pause', {}, ({ method }) => method === 'Debugger.paused');
    const frames = paused?.params?.callFrames;
    if (frames === undefined) {
      return ['The event loop of the main process does not turn, and no script runs: native code.'];
    }
    await ask('Debugger.resume', {});
    return [
      'The event loop of the main process does not turn. Its stack:',
      ...frames.map(
        ({ functionName, url: file, location }) =>
          `    at ${functionName || '(anonymous)'} (${file}:${location.lineNumber + 1})`,
      ),
    ];
  });
}

async function describePage({ url, webSocketDebuggerUrl }: Target): Promise<string> {
  if (webSocketDebuggerUrl === undefined) return `Page ${url}: somebody else debugs it`;
  const answer = await withTarget(webSocketDebuggerUrl, (ask) =>
    ask('Runtime.evaluate', { expression: 'document.readyState', returnByValue: true }),
  );
  return `Page ${url}: ${valueOf(answer)}`;
}

/** Lines to read; never throws. `marks`: what only this app has in its command line or environment. */
export async function describeHangingLaunch(marks: readonly string[]): Promise<string> {
  const pids = processesOf(marks);
  if (pids.length === 0) return 'No process of the app is there: it has ended.';
  const lines = pids.map(describeProcess);
  for (const main of pids.filter((pid) => !pids.includes(parentOf(pid)))) {
    const targets = (await Promise.all(listeningPorts(main).map(targetsAt))).flat();
    const inspector = targets.find(({ type }) => type === 'node')?.webSocketDebuggerUrl;
    lines.push(
      ...(inspector === undefined
        ? [`The inspector of pid ${main} does not answer.`]
        : await describeMain(inspector)),
    );
    for (const page of targets.filter(({ type }) => type === 'page')) {
      lines.push(await describePage(page));
    }
  }
  return lines.join('\n');
}
