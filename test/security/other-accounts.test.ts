import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlSocketPath } from '../../electron/control/address';
import { createAccounts, give, SHARED_GROUP, THIEF, VICTIM } from '../helpers/other-account';
import { isLeftOut, NOT_ROOT } from '../helpers/skips';

let accounts: ReturnType<typeof createAccounts>;
let home: string;

beforeEach(() => {
  accounts = createAccounts();
  home = path.join(accounts.commonFolder(), 'victim');
  fs.mkdirSync(home, { mode: 0o755 });
});
afterEach(() => accounts.close());

const PROVIDER = {
  p: { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9', api_key_env: 'UNSET_KEY' },
};

/** A data folder of the victim; whatever else is in it is planted afterward. */
function makeData(dataDir: string): void {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  fs.chmodSync(dataDir, 0o700);
  fs.writeFileSync(
    path.join(dataDir, 'config.json'),
    JSON.stringify({ providers: PROVIDER, agents: { a: { provider: 'p', model: 'm' } } }),
    { mode: 0o600 },
  );
  give(home, VICTIM);
}

const until = async (what: string, isSo: () => boolean): Promise<void> => {
  const endMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > endMs) throw new Error(`not within 60 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Runs until it has said something, or ended. */
async function startHeadless(dataDir: string) {
  const host = accounts.holdfast(['start', '--headless', '--json', '--data-dir', dataDir], home);
  let isOver = false;
  void host.ended.then(() => (isOver = true));
  await until('headless is up or refused', () => isOver || host.out().includes('\n'));
  return { ...host, isOver: () => isOver };
}

/** A folder whose socket has to lie elsewhere, and the name that anybody can compute for it. */
function longData(): { readonly dataDir: string; readonly computable: string } {
  const dataDir = path.join(home, 'd'.repeat(60), 'e'.repeat(60), 'D');
  makeData(dataDir);
  const folder = `/tmp/holdfast-${String(VICTIM)}`;
  accounts.remember(folder);
  const asRoot = controlSocketPath(dataDir, {}, 'linux');
  return { dataDir, computable: path.join(folder, path.basename(asRoot)) };
}

/** Listens at an address as the thief, answers like the real one, and prints all that arrives. */
const listenScript = (socketPath: string, folderMode: string) => `
  const { mkdirSync, chmodSync } = require('node:fs');
  const { dirname } = require('node:path');
  mkdirSync(dirname(${JSON.stringify(socketPath)}), { recursive: true });
  chmodSync(dirname(${JSON.stringify(socketPath)}), ${folderMode});
  require('node:net').createServer((socket) => {
    console.log('CONNECTED');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      console.log(chunk.toString());
      socket.write(JSON.stringify({ kind: 'proof', mac: 'a'.repeat(64) }) + '\\n');
      socket.write(JSON.stringify({ kind: 'welcome', version: 'x', pid: 1 }) + '\\n');
    });
  }).listen(${JSON.stringify(socketPath)}, () => {
    chmodSync(${JSON.stringify(socketPath)}, 0o777);
    console.log('READY');
  });
`;

describe.skipIf(isLeftOut('what another account may do', NOT_ROOT))(
  'C4 an address that another account has taken',
  () => {
    it.each(['0o755', '0o777'])(
      'C4 gets no key, no prompt and no token, and keeps Holdfast neither from starting nor from being found (folder %s)',
      async (mode) => {
        const { dataDir, computable } = longData();
        const thief = await accounts.thief(listenScript(computable, mode));
        const at = ['--data-dir', dataDir];
        const run = (args: readonly string[], stdin = '') =>
          accounts.holdfast([...args, ...at], home, stdin).ended;

        const stopped = await run(['send', 'PROMPT-4711', '--json']);
        expect(stopped.code).toBe(4);
        expect(JSON.parse(stopped.out)).toMatchObject({
          error: { code: 'DATA_DIR_UNSAFE', hint: expect.stringContaining('ls -ld') as string },
        });
        const keyed = await run(['provider', 'set-key', 'p'], 'sk-KEY-4711\n');
        expect(keyed.code).not.toBe(0);

        const host = await startHeadless(dataDir);
        expect(host.isOver()).toBe(false);
        const { socketPath } = JSON.parse(host.out()) as { socketPath: string };
        expect(path.dirname(socketPath)).not.toBe(path.dirname(computable));
        const folder = fs.statSync(path.dirname(socketPath));
        expect([folder.uid, folder.mode & 0o777]).toEqual([VICTIM, 0o700]);
        expect((await run(['status', '--json'])).code).toBe(0);
        expect((await run(['provider', 'set-key', 'p'], 'sk-KEY-4711\n')).code).toBe(0);
        expect((await run(['send', 'PROMPT-4711'])).code).toBe(0);
        expect((await run(['stop'])).code).toBe(0);
        expect((await host.ended).code).toBe(0);
        expect(fs.existsSync(path.dirname(socketPath))).toBe(false);
        expect(thief.out().trim()).toBe('READY');
      },
    );

    it('C4 is not used after a SIGKILL either: the next start finds another folder again', async () => {
      const { dataDir, computable } = longData();
      const thief = await accounts.thief(listenScript(computable, '0o755'));
      const first = await startHeadless(dataDir);
      first.child.kill('SIGKILL');
      await first.ended;
      const left = path.dirname((JSON.parse(first.out()) as { socketPath: string }).socketPath);
      accounts.remember(left);
      expect(fs.existsSync(left)).toBe(true);
      const second = await startHeadless(dataDir);
      expect(second.isOver()).toBe(false);
      expect(fs.existsSync(left)).toBe(false);
      const stopped = await accounts.holdfast(['stop', '--data-dir', dataDir], home).ended;
      expect([stopped.code, (await second.ended).code]).toEqual([0, 0]);
      expect(thief.out().trim()).toBe('READY');
    });

    it('C4 a link that leads to a socket of somebody else is no address', async () => {
      const { dataDir, computable } = longData();
      const theirs = path.join(accounts.commonFolder(), 'theirs');
      fs.mkdirSync(theirs);
      give(theirs, THIEF);
      const thief = await accounts.thief(
        listenScript(path.join(theirs, path.basename(computable)), '0o755'),
      );
      fs.symlinkSync(theirs, path.dirname(computable));
      give(path.dirname(computable), THIEF);
      const sent = await accounts.holdfast(['send', 'PROMPT-4711', '--data-dir', dataDir], home)
        .ended;
      expect(sent.code).toBe(4);
      expect(thief.out().trim()).toBe('READY');
    });
  },
);

/** Settings that run a program at the start, as whoever wrote them wants. */
function plantConfig(dataDir: string, mark: string, mode: number): string {
  const config = path.join(dataDir, 'config.json');
  fs.rmSync(config, { force: true });
  const evil = { command: '/bin/sh', args: ['-c', `id -u > ${mark}; cat`] };
  fs.writeFileSync(config, JSON.stringify({ mcp: { servers: { evil } } }));
  fs.chmodSync(config, mode);
  fs.lchownSync(config, THIEF, SHARED_GROUP);
  return config;
}

const modeOf = (target: string) => fs.statSync(target).mode & 0o7777;

describe.skipIf(NOT_ROOT !== false)('K5 what another account put into the data folder', () => {
  it('K5 a folder of a shared group (2775) with a planted config.json is refused: nothing runs, nothing is tightened', async () => {
    const dataDir = path.join(home, 'D');
    makeData(dataDir);
    fs.lchownSync(dataDir, VICTIM, SHARED_GROUP);
    fs.chmodSync(dataDir, 0o2775);
    const mark = path.join(accounts.commonFolder(), 'ran');
    fs.chmodSync(path.dirname(mark), 0o777);
    const config = plantConfig(dataDir, mark, 0o664);
    const before = fs.readdirSync(dataDir);
    for (const args of [['start', '--headless'], ['status'], ['config', 'get'], ['send', 'x']]) {
      const ended = await accounts.holdfast([...args, '--json', '--data-dir', dataDir], home).ended;
      expect([args, ended.code]).toEqual([args, 4]);
      expect(JSON.parse(ended.out)).toMatchObject({
        error: {
          code: 'DATA_DIR_UNSAFE',
          message: expect.stringContaining('can be written to by its group') as string,
          hint: expect.stringMatching(/check its contents.*config\.json belongs to/) as string,
        },
      });
    }
    expect([modeOf(dataDir), fs.readdirSync(dataDir), fs.existsSync(mark)]).toEqual([
      0o2775,
      before,
      false,
    ]);
    expect(fs.statSync(config).uid).toBe(THIEF);
  });

  it('K5 the doctor says whose the data is, runs and changes nothing, and passes where it is ours alone', async () => {
    const dataDir = path.join(home, 'D');
    makeData(dataDir);
    const doctor = () => accounts.holdfast(['doctor', '--json', '--data-dir', dataDir], home).ended;
    expect((await doctor()).out).not.toContain('another account');
    const mark = path.join(accounts.commonFolder(), 'ran');
    fs.chmodSync(path.dirname(mark), 0o777);
    const config = plantConfig(dataDir, mark, 0o644);
    const before = fs.readdirSync(dataDir);
    const ended = await doctor();
    expect(ended.code).not.toBe(0);
    expect(ended.out).toContain(`config.json belongs to another account (uid ${String(THIEF)}`);
    expect(ended.out).toContain(`mv ${config} ${config}.untrusted`);
    expect([fs.existsSync(mark), fs.readdirSync(dataDir)]).toEqual([false, before]);
  });

  it('K5 after the chmod of the hint a planted config.json is still refused, by its name', async () => {
    const dataDir = path.join(home, 'D');
    makeData(dataDir);
    fs.chmodSync(dataDir, 0o777);
    const mark = path.join(accounts.commonFolder(), 'ran');
    fs.chmodSync(path.dirname(mark), 0o777);
    const config = plantConfig(dataDir, mark, 0o644);
    const start = () =>
      accounts.holdfast(['start', '--headless', '--data-dir', dataDir], home).ended;
    const open = await start();
    expect([open.code, open.err]).toEqual([4, expect.stringContaining(`chmod 700 ${dataDir}`)]);
    fs.chmodSync(dataDir, 0o700);
    const closed = await start();
    expect(closed.code).toBe(4);
    expect(closed.err).toContain(
      `config.json belongs to another account (uid ${String(THIEF)}, not ${String(VICTIM)})`,
    );
    expect(closed.err).toContain(`mv ${config} ${config}.untrusted`);
    expect(fs.existsSync(mark)).toBe(false);
    // What the hint says works, without root: it is the victim's folder.
    fs.renameSync(config, `${config}.untrusted`);
    const host = await startHeadless(dataDir);
    expect(host.isOver()).toBe(false);
    expect(fs.existsSync(mark)).toBe(false);
  });

  it.each(['logs', 'audit', 'drafts', 'secrets', 'skills', 'run', 'backups', 'blobs', 'chromium'])(
    'K5 a planted link D/%s is refused, and nothing is written through it',
    async (name) => {
      const dataDir = path.join(home, 'D');
      makeData(dataDir);
      const theirs = path.join(accounts.commonFolder(), 'theirs');
      fs.mkdirSync(theirs);
      fs.chmodSync(theirs, 0o777);
      fs.symlinkSync(theirs, path.join(dataDir, name));
      fs.lchownSync(path.join(dataDir, name), THIEF, THIEF);
      for (const args of [['start', '--headless'], ['status']]) {
        const ended = await accounts.holdfast([...args, '--data-dir', dataDir], home).ended;
        expect([ended.code, ended.err]).toEqual([4, expect.stringContaining(name)]);
      }
      expect(fs.readdirSync(theirs)).toEqual([]);
      expect(fs.readdirSync(dataDir).sort()).toEqual(['config.json', name].sort());
    },
  );

  it('K5 a run, a kill and another start under umask 000 refuse nothing of what Holdfast itself made', async () => {
    const dataDir = path.join(home, 'D');
    makeData(dataDir);
    fs.rmSync(dataDir, { recursive: true });
    const before = process.umask(0);
    try {
      const first = await startHeadless(dataDir);
      expect(first.isOver()).toBe(false);
      const run = (...args: string[]) =>
        accounts.holdfast([...args, '--data-dir', dataDir], home).ended;
      expect((await run('config', 'set', 'log.level', 'debug')).code).toBe(0);
      await run('send', 'x');
      first.child.kill('SIGKILL');
      await first.ended;
      const second = await startHeadless(dataDir);
      expect(second.isOver()).toBe(false);
      expect((await run('stop')).code).toBe(0);
      expect((await run('status')).code).toBe(0);
    } finally {
      process.umask(before);
    }
  });
});
