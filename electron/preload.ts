/**
 * The bridge: one function per verb and one subscription per event, nothing else (W2, I7). No
 * function takes a channel name; input from the page is checked again in main.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { IpcRendererEvent } from 'electron';
import type { HoldfastBridge } from '../shared/contract';
import { EVENT_NAMES, WINDOW_VERBS, eventChannel, verbChannel } from '../shared/verbs';

const call = Object.fromEntries(
  WINDOW_VERBS.map((verb) => [
    verb,
    (input: unknown): Promise<unknown> => ipcRenderer.invoke(verbChannel(verb), input),
  ]),
);

const on = Object.fromEntries(
  EVENT_NAMES.map((event) => [
    event,
    (listener: (payload: unknown) => void): (() => void) => {
      const channel = eventChannel(event);
      // The wrapper hides the IPC event, which carries the sender, from the page.
      const wrapper = (_event: IpcRendererEvent, payload: unknown): void => listener(payload);
      ipcRenderer.on(channel, wrapper);
      return () => void ipcRenderer.removeListener(channel, wrapper);
    },
  ]),
);

const bridge = Object.freeze({
  call: Object.freeze(call),
  on: Object.freeze(on),
}) as unknown as HoldfastBridge;

contextBridge.exposeInMainWorld('holdfast', bridge);
