/** The note of an update, on a real disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  hasUpdateNote,
  isUpdateReady,
  notePath,
} from '../../../electron/adapters/updates/note-there';
import { createUpdateNotes } from '../../../electron/adapters/updates/update-notes';

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-note-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

it('UP-02 only a missing note says that there is no update: 1 that is there and cannot be read, and 1 in a folder that cannot, say so', () => {
  const read = (): unknown => createUpdateNotes(dir).read();
  expect([read(), hasUpdateNote(dir), isUpdateReady(dir)]).toEqual([undefined, false, false]);
  fs.mkdirSync(notePath(dir), { recursive: true });
  const code = 'RESULT_UNREADABLE';
  expect(read).toThrow(expect.objectContaining({ code }) as Error);
  expect([hasUpdateNote(dir), isUpdateReady(dir)]).toEqual([true, true]);
  fs.rmSync(path.dirname(notePath(dir)), { recursive: true });
  fs.symlinkSync(path.dirname(notePath(dir)), path.dirname(notePath(dir)));
  expect(read).toThrow(expect.objectContaining({ code }) as Error);
  expect([hasUpdateNote(dir), isUpdateReady(dir)]).toEqual([true, true]);
});
