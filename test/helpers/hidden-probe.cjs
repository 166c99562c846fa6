// Loaded before the app (`electron -r`): counts what timers and frames do in the page of the first
// window while it is seen and while it is hidden, and writes the figures to HIDDEN_PROBE_FILE. In
// the main process, because a page that a test driver is attached to counts as seen.
'use strict';
const { writeFileSync } = require('node:fs');
const { app } = require('electron');

/** More than one tick of a clock that counts seconds. */
const WATCH_MS = 1_400;
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

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
    const ticksIn = async () => {
      const before = await read('window.ticks');
      await pause(WATCH_MS);
      return (await read('window.ticks')) - before;
    };
    const seen = { state: await read('document.visibilityState'), ticks: await ticksIn() };
    window.hide();
    // What was on its way when it was hidden may still arrive.
    await pause(1_200);
    const hidden = { state: await read('document.visibilityState'), ticks: await ticksIn() };
    writeFileSync(String(process.env['HIDDEN_PROBE_FILE']), JSON.stringify({ seen, hidden }));
  });
});
