// Loaded before the app (`electron -r`): notes of each window when it was painted and when it came to
// the screen, on what ground, and the colour of its page at that moment. Read `globalThis.firstPaints`.
'use strict';
const { app } = require('electron');

/** @type {object[]} */
const paints = [];
Object.assign(globalThis, { firstPaints: paints });

// The page of the first window stands long before its scripts may run: nothing here waits for them.
const COLOUR = `(() => {
  const [page, body] = [document.documentElement, document.body].map(
    (one) => one && getComputedStyle(one).backgroundColor,
  );
  return page === 'rgba(0, 0, 0, 0)' ? body : page;
})()`;

app.on('browser-window-created', (_event, window) => {
  const paint = {
    url: '',
    wasVisible: window.isVisible(),
    ground: '',
    order: /** @type {string[]} */ ([]),
    page: '',
  };
  paints.push(paint);
  // As it was made: later settings may have been read.
  process.nextTick(() => {
    paint.ground = window.getBackgroundColor().toLowerCase();
  });
  window.once('ready-to-show', () => paint.order.push('painted'));
  window.once('show', async () => {
    paint.order.push('shown');
    paint.url = window.webContents.getURL();
    paint.page = String(await window.webContents.mainFrame.executeJavaScript(COLOUR));
  });
});
