// Loaded before the app (`electron -r`) where a driver starts it: the app hears that Electron is ready
// only after the driver has attached to it, so each window opens under its eyes. A window that opened
// while the driver was attaching was lost to it now and then: the app ran, the driver waited forever.
'use strict';
const { app } = require('electron');

const ready = app.whenReady();
const emit = app.emit.bind(app);
/** @type {unknown[] | undefined} */
let heldReady;
let isAttached = false;
/** @type {(value?: unknown) => void} */
let attached = () => undefined;
const afterDriver = new Promise((resolve) => {
  attached = resolve;
});

app.isReady = () => isAttached;
app.whenReady = () => afterDriver.then(() => ready);
app.emit = (event, ...args) => {
  if (event !== 'ready' || isAttached) return emit(event, ...args);
  heldReady = args;
  return app.listenerCount('ready') > 0;
};
// The name under which the driver says that it has attached.
globalThis.__playwright_run = async () => {
  await ready;
  isAttached = true;
  attached();
  if (heldReady !== undefined) emit('ready', ...heldReady);
};
