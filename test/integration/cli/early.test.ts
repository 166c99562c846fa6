/** Commands before the first start, and with nothing that keeps a key: the real composition, no engine. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForDecision, openReadOnly } from '../../../electron/offline/open-data';
import type { FakeHoldfast } from '../control/fake-holdfast';
import { createWorld } from './cli-world';

let root: string;
let dataDir: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-early-'));
  dataDir = path.join(root, 'not', 'there');
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const run = (stdin: string, ...argv: string[]) =>
  createWorld({
    dataDir,
    fake: {} as FakeHoldfast,
    stdin,
    offline: { openReadOnly, openForDecision },
  }).run(...argv, '--data-dir', dataDir, '--json');

describe('before the first start', () => {
  it('S1-34 agents detect and doctor work in a folder that is not there, and make nothing', async () => {
    const detected = await run('', 'agents', 'detect');
    expect(detected).toMatchObject({ code: 0, err: '' });
    const { agents } = JSON.parse(detected.out) as { agents: { name: string }[] };
    expect(agents.length).toBeGreaterThan(3);
    const looked = await run('', 'doctor');
    expect(looked).toMatchObject({ code: 0, err: '' });
    const { ok, checks } = JSON.parse(looked.out) as {
      ok: boolean;
      checks: { name: string; detail: string }[];
    };
    expect(ok).toBe(true);
    const detail = (name: string) => checks.find((check) => check.name === name)?.detail;
    expect(detail('data folder')).toBe(
      `${dataDir} does not exist yet: the first start creates it.`,
    );
    expect(detail('journal')).toBe('Not found yet: the first start creates it.');
    expect(fs.readdirSync(root)).toEqual([]);
  });

  it('S1-34 what was accepted cannot be asked for: turns list ends with 3 and makes nothing', async () => {
    expect(await run('', 'turns', 'list')).toMatchObject({ code: 3 });
    expect(fs.readdirSync(root)).toEqual([]);
  });
});

describe('a key while Holdfast is stopped and no keyring is here', () => {
  it('I5 is refused with SECRET_NOT_PERSISTED and not said to be stored; allowed in plain text, it is', async () => {
    fs.mkdirSync(dataDir, { recursive: true });
    fs.writeFileSync(
      path.join(dataDir, 'config.json'),
      JSON.stringify({ providers: { office: { kind: 'anthropic' } } }),
    );
    const refused = await run('sk-early-4711\n', 'provider', 'set-key', 'office');
    expect(refused.code).toBe(4);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'SECRET_NOT_PERSISTED' } });
    const kept = await run('sk-early-4711\n', 'provider', 'set-key', 'office', '--allow-plaintext');
    expect(kept.code).toBe(0);
    expect(JSON.parse(kept.out)).toMatchObject({
      key: { present: true, storage: 'plaintext-consented' },
    });
    const removed = await run('', 'provider', 'set-key', 'office', '--remove');
    expect(JSON.parse(removed.out)).toMatchObject({ key: { present: false } });
  });
});
