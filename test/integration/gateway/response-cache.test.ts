/** Answers on disk, for an agent that asks again after Holdfast has died. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openResponseCache,
  type ResponseCache,
} from '../../../electron/adapters/gateway/response-cache';

const KEY = 'a'.repeat(64);
const recording = (text: string) => ({
  contentType: 'text/event-stream',
  pieces: [Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))],
});
const textOf = async (cache: ResponseCache, key = KEY): Promise<string | undefined> => {
  const found = await cache.recall(key);
  return found === undefined ? undefined : Buffer.concat(found.pieces).toString();
};

let dir: string;
let nowMs: number;
let windowMs: number;
const open: ResponseCache[] = [];
beforeEach(() => {
  dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-cache-')), 'answers');
  nowMs = Date.parse('2026-03-24T12:00:00Z');
  windowMs = 60_000;
});
afterEach(async () => {
  for (const cache of open.splice(0)) await cache.stop();
  fs.rmSync(path.dirname(dir), { recursive: true, force: true });
});
async function openHere(): Promise<ResponseCache> {
  const cache = await openResponseCache({
    dir,
    nowMs: () => nowMs,
    windowMs: () => windowMs,
    crashPoints: { hit: () => undefined },
  });
  open.push(cache);
  return cache;
}

describe('the response cache of the gateway on disk', () => {
  it('S0-18 has after a restart what it had before, in files that only this user can read', async () => {
    await (await openHere()).keep(KEY, recording('an answer'));
    const again = await openHere();
    expect(await again.recall(KEY)).toMatchObject({ contentType: 'text/event-stream' });
    expect(await textOf(again)).toBe('an answer');
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
    const names = fs.readdirSync(dir);
    expect(names).toEqual([`${KEY}-${String(nowMs)}`]);
    expect(fs.statSync(path.join(dir, names[0] ?? '')).mode & 0o777).toBe(0o600);
  });

  it('S0-18 an orderly stop waits for 20 answers that are being written: the next start has each of them', async () => {
    const cache = await openHere();
    const keys = Array.from({ length: 20 }, (_, n) => String(n).padStart(64, '0'));
    const writes = keys.map((key) => cache.keep(key, recording(`answer ${key}`)));
    await cache.stop();
    const again = await openHere();
    for (const key of keys) expect(await textOf(again, key)).toBe(`answer ${key}`);
    await Promise.all(writes);
  });

  it('forgets at the end of its window, on disk too, and at a start what grew old meanwhile', async () => {
    const cache = await openHere();
    await cache.keep(KEY, recording('an answer'));
    nowMs += 59_999;
    expect(await textOf(cache)).toBe('an answer');
    nowMs += 1;
    expect(await textOf(cache)).toBeUndefined();
    await openHere();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('removes what a shorter window no longer covers, without being asked for it', async () => {
    const cache = await openHere();
    await cache.keep(KEY, recording('an answer'));
    windowMs = 0;
    await cache.prune();
    expect(fs.readdirSync(dir)).toEqual([]);
    await cache.keep(KEY, recording('another'));
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('keeps the newest of two answers to one request, and none above 4 MB', async () => {
    const cache = await openHere();
    await cache.keep(KEY, recording('first'));
    nowMs += 1;
    await cache.keep(KEY, recording('second'));
    await cache.keep('b'.repeat(64), recording('x'.repeat(4 * 1024 * 1024)));
    expect(fs.readdirSync(dir)).toEqual([`${KEY}-${String(nowMs)}`]);
    expect(await textOf(cache)).toBe('second');
  });

  it.each([
    ['cut short', (file: string) => fs.truncateSync(file, 70)],
    ['changed', (file: string) => fs.appendFileSync(file, '!')],
    ['empty', (file: string) => fs.writeFileSync(file, '')],
    ['gone', (file: string) => fs.rmSync(file)],
  ])('an answer that is %s is none: the provider is asked', async (_, harm) => {
    const cache = await openHere();
    await cache.keep(KEY, recording('an answer'));
    harm(path.join(dir, `${KEY}-${String(nowMs)}`));
    expect(await textOf(cache)).toBeUndefined();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('a write that was cut off is cleared away', async () => {
    fs.mkdirSync(dir);
    fs.writeFileSync(path.join(dir, `${KEY}-1.99-1.tmp`), 'half');
    await openHere();
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});
