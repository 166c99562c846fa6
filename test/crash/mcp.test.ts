import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive, waitFor } from '../integration/mcp/servers-world';
import { createRealm, endLives, startLife, type Mode } from './lives';
import type { Life, Realm } from './realm';

const ODD_SERVER = path.resolve('test/integration/mcp/odd-server.mjs');

let realms: Realm[] = [];
afterEach(() => {
  endLives();
  for (const realm of realms) {
    fs.rmSync(path.dirname(notesOf.get(realm) ?? realm.root), { recursive: true, force: true });
    realm.remove();
  }
  realms = [];
});

/** A realm with one MCP server; `env` is what the server gets. */
function realmFor(mode: Mode, listed: readonly string[], env: Record<string, string> = {}): Realm {
  const notes = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-notes-')), 'notes');
  const realm = createRealm(mode, {
    'resilience.recovery.side_effect_tools': listed,
    'mcp.servers': {
      odd: { command: process.execPath, args: [ODD_SERVER, 'normal', notes], env },
    },
  });
  realms.push(realm);
  notesOf.set(realm, notes);
  return realm;
}

const notesOf = new Map<Realm, string>();
const noted = (realm: Realm): string[] => {
  const file = notesOf.get(realm) ?? '';
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};
const calls = (realm: Realm): string[] =>
  noted(realm).filter((line) => line.startsWith('call work'));

/** Kills Holdfast while the server is at work on a call. */
async function killedInCall(realm: Realm, message: string): Promise<number> {
  const life = startLife(realm);
  await life.ready();
  const turnId = await life.accept(message);
  await waitFor(() => calls(realm).length === 1, 60_000);
  await life.kill();
  return turnId;
}

async function again(realm: Realm): Promise<Life> {
  const life = startLife(realm);
  await life.ready();
  await life.ask({ kind: 'quiet' });
  return life;
}

describe('Holdfast killed in the middle of a call to an MCP server', () => {
  it('S0-13 S2-19 a listed tool holds the turn, by its plain name; nothing is sent again', async () => {
    const realm = realmFor('safe_only', ['work']);
    const turnId = await killedInCall(realm, 'served 4000');
    const life = await again(realm);
    const { turn, decision } = await life.call('turns.show', { turnId });
    expect(turn.state).toBe('held');
    expect(decision?.ambiguous).toMatchObject([{ tool: 'odd.work', isListed: true }]);
    expect(calls(realm)).toHaveLength(1);
    await life.stop();
  });

  it('S0-13 a listed tool holds its turn by its qualified name, also when its server is gone', async () => {
    const realm = realmFor('safe_only', ['odd.work']);
    const turnId = await killedInCall(realm, 'served 4000');
    const file = path.join(realm.dataDir, 'config.json');
    const config = JSON.parse(fs.readFileSync(file, 'utf8')) as { mcp?: unknown };
    delete config.mcp;
    fs.writeFileSync(file, JSON.stringify(config));
    const life = await again(realm);
    expect((await life.call('turns.show', { turnId })).turn.state).toBe('held');
    expect((await life.call('ext.list', {})).servers).toEqual([]);
    await life.stop();
  });

  it('S2-19 an unlisted one runs again with the same key, once its server is up', async () => {
    const realm = realmFor('always', []);
    const turnId = await killedInCall(realm, 'served 600');
    const life = await again(realm);
    expect((await life.call('turns.show', { turnId })).turn.state).toBe('completed');
    const keys = calls(realm).map((line) => line.split(' ').at(-1));
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    await life.stop();
  });

  it('S2-19 a server that outlived its Holdfast is ended by the next one', async () => {
    const realm = realmFor('always', [], { LEAVE_AFTER_MS: '120000' });
    await killedInCall(realm, 'served 300');
    const first = Number(noted(realm)[0]?.split(' ')[1]);
    expect(isAlive(first)).toBe(true);
    const life = await again(realm);
    await waitFor(() => !isAlive(first));
    expect(noted(realm).filter((line) => line.startsWith('start'))).toHaveLength(2);
    await life.stop();
  });
});
