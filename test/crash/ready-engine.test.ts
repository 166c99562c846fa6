/** A life that begins in a fork of a loaded engine is a process as one that is started from its files. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readEvidence } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Life, Realm } from './realm';

afterEach(endRealms);

const lockedBy = (realm: Realm): unknown =>
  (JSON.parse(fs.readFileSync(path.join(realm.dataDir, 'agent.lock'), 'utf8')) as { pid: unknown })
    .pid;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function begun(): Promise<{ realm: Realm; life: Life }> {
  const realm = createRealm('safe_only');
  const life = startLife(realm);
  await life.ready();
  return { realm, life };
}

it('2 lives at once hold their locks under their own numbers, and their databases have different identities', async () => {
  const [one, other] = await Promise.all([begun(), begun()]);
  expect(new Set([process.pid, one.life.pid, other.life.pid]).size).toBe(3);
  for (const { realm, life } of [one, other]) {
    expect(lockedBy(realm)).toBe(life.pid);
    expect(isAlive(life.pid)).toBe(true);
    await life.stop();
  }
  const ids = [one, other].map(({ realm }) => readEvidence(realm)?.databaseId);
  expect(new Set([...ids, undefined]).size).toBe(3);
});

it('a life that is killed is gone with SIGKILL, and one that stops ends with 0', async () => {
  const [one, other] = await Promise.all([begun(), begun()]);
  await one.life.kill();
  expect(await one.life.ended).toBe('SIGKILL');
  expect(isAlive(one.life.pid)).toBe(false);
  await other.life.stop();
  expect(await other.life.ended).toBe('0');
});
