// Loaded before the app (`electron -r`): counts what timers and frames do in the page of the first
// window while it is seen and while it is hidden, waits for its end, and writes the figures to
// HIDDEN_PROBE_FILE; the next window that is shown writes them again. In the main process, because
// a page that a test driver is attached to counts as seen. What would take the five minutes of a
// hidden window takes four seconds; every other timer is left alone.
'use strict';
const { writeFileSync } = require('node:fs');
const { app } = require('electron');

const HIDDEN_LIFE_MS = 300_000;
const SHORT_LIFE_MS = 15_000;
/** More than one tick of a clock that counts seconds. */
const WATCH_MS = 1_400;

const later = globalThis.setTimeout;
const shortened = (
  /** @type {(...args: unknown[]) => void} */ work,
  /** @type {number} */ delayMs,
  /** @type {unknown[]} */ ...args
) => later(work, delayMs === HIDDEN_LIFE_MS ? SHORT_LIFE_MS : delayMs, ...args);
globalThis.setTimeout = Object.assign(shortened, later);

const pause = (/** @type {number} */ ms) => new Promise((resolve) => later(resolve, ms));
const tell = (/** @type {object} */ facts) =>
  writeFileSync(String(process.env['HIDDEN_PROBE_FILE']), JSON.stringify(facts));

const COUNTER = `(() => {
  window.ticks = 0;
  const counted = (work) => (...args) => { window.ticks += 1; return work(...args); };
  const { setTimeout: later, setInterval: often, requestAnimationFrame: frame } = window;
  window.setTimeout = (work, ...rest) => later(counted(work), ...rest);
  window.setInterval = (work, ...rest) => often(counted(work), ...rest);
  window.requestAnimationFrame = (work) => frame(counted(work));
})()`;

app.once('browser-window-created', (_event, window) => {
  window.once('show', async () => {
    const { webContents } = window;
    webContents.debugger.attach('1.3');
    await webContents.debugger.sendCommand('Page.enable');
    await webContents.debugger.sendCommand('Page.addScriptToEvaluateOnNewDocument', {
      source: COUNTER,
    });
    const loaded = new Promise((resolve) => webContents.once('did-finish-load', resolve));
    webContents.reload();
    await loaded;
    await pause(800);
    const read = (/** @type {string} */ what) => webContents.executeJavaScript(what);
    // The story ends by a kill, so the window opens on a decision; the clock of seconds is on Home.
    await read("window.location.hash = '#/'");
    await pause(800);
    const ticksIn = async () => {
      const before = await read('window.ticks');
      await pause(WATCH_MS);
      return (await read('window.ticks')) - before;
    };
    const seen = { state: await read('document.visibilityState'), ticks: await ticksIn() };
    const closed = new Promise((resolve) =>
      window.once('closed', () => resolve(performance.now())),
    );
    const hiddenAtMs = performance.now();
    window.hide();
    // What was on its way when it was hidden may still arrive.
    await pause(3_000);
    const hidden = { state: await read('document.visibilityState'), ticks: await ticksIn() };
    const livedMs = (await closed) - hiddenAtMs;
    const facts = { seen, hidden, livedMs, openedAgain: false };
    app.once('browser-window-created', (_next, again) => {
      again.once('show', () => tell({ ...facts, openedAgain: true }));
    });
    tell(facts);
  });
});
