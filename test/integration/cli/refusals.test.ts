/** What a refused command ends with: the same kind of refusal, the same exit code, with every command. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { offline } from '../../../electron/offline/offline';
import {
  composeIn,
  createWorld as createData,
  type World as Data,
} from '../../helpers/compose-world';
import { mountSmallDisk } from '../../helpers/small-disk';
import type { FakeHoldfast } from '../control/fake-holdfast';
import { createWorld } from './cli-world';

let data: Data;
let running: Composition;
const worldOf = (dataDir: string) => createWorld({ dataDir, fake: {} as FakeHoldfast, offline });
const run = (line: string) => worldOf(data.dataDir).run(...line.split(' '));

beforeAll(async () => {
  data = createData({ providers: { office: { kind: 'anthropic' } } });
  running = composeIn(data);
  await running.lifecycle.start();
  const added = await run('channels add hook --kind webhook --url http://127.0.0.1:9/');
  expect(added).toMatchObject({ code: 0 });
  // The same again changes nothing, and is no refusal.
  for (let times = 0; times < 2; times += 1)
    expect(await run('hosts add far ssh://me@far.example')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await running.lifecycle.stop('stop');
  data.remove();
});

const NOT_FOUND = [
  'turns show 999',
  'turns cancel 999',
  'turns step 999 1',
  'sessions delete nope --yes',
  'agents show nope',
  'agents remove nope',
  'providers test nope',
  'providers remove nope',
  'providers edit nope --key-env K',
  'channels remove nope',
  'channels edit nope --to x',
  'tasks show 999',
  'tasks run 999',
  'drafts diff 999',
  'drafts apply 999',
  'drafts discard 999',
  'approvals allow 999',
  'inbox dismiss 999',
  'mcp restart nope',
  'breakers reset nope',
  'dlq replay nope',
  'gateway token revoke nope',
  'skills show nope',
  'runs show 999',
  'hosts remove nope',
  'send hello --agent nope',
] as const;

const WRONG_VALUE = [
  'turns show x',
  'turns list --limit 0',
  'config get nope',
  'config set limits.max_waiting_turns x',
  'hosts add box nowhere',
  'tasks add --every 0s hello',
  'tasks show nope',
  'nope',
  'help nope',
  'turns nope --help',
] as const;

const ALREADY_SO = [
  'providers add office --kind anthropic',
  'providers add practice --kind anthropic',
  'agents add fake --provider office --model m --workspace /tmp',
  'channels add hook --kind webhook --url http://127.0.0.1:9/',
  'hosts add far ssh://me@other.example',
  'share invite box',
  'share revoke box',
  'data remove --yes',
  'reset --yes',
] as const;

describe('the exit code of a refusal', () => {
  it.each([
    ...NOT_FOUND.map((line) => [line, 1, 'UNKNOWN'] as const),
    ...WRONG_VALUE.map((line) => [line, 2, ''] as const),
    ...ALREADY_SO.map((line) => [line, 4, ''] as const),
  ])('X-02 %s ends with %i', async (line, expected, code) => {
    const ended = await run(`${line} --json`);
    const { error } = JSON.parse(ended.out) as { error: { code: string; message: string } };
    expect({ code: ended.code, error: error.code }, error.message).toEqual({
      code: expected,
      error: expect.stringContaining(code) as string,
    });
    expect(ended.err).toBe('');
  });

  it.each(['turns list', 'tasks list', 'data export out.tgz', 'send hello'])(
    'X-02 %s where no data is ends with 3, and makes nothing',
    async (line) => {
      const dataDir = `${data.outside}/none`;
      expect(await worldOf(dataDir).run(...line.split(' '))).toMatchObject({ code: 3 });
      expect(fs.existsSync(dataDir)).toBe(false);
    },
  );
});

describe('a wait that is interrupted', () => {
  it('X-02 Ctrl+C during send --wait says that the turn continues, how to see and cancel it, and ends with 130', async () => {
    await run('pause');
    const world = worldOf(data.dataDir);
    const waiting = world.run('send', 'hello', '--wait', '--agent', 'practice');
    await expect
      .poll(async () => (await run('turns list --json')).out, { timeout: 60_000 })
      .toContain('queued');
    await expect
      .poll(
        () => {
          world.signal('SIGINT');
          return world.opened;
        },
        { timeout: 60_000 },
      )
      .toContain('exit 130');
    const { turns } = JSON.parse((await run('turns list --json')).out) as {
      turns: readonly { id: number }[];
    };
    const id = String(turns[0]?.id);
    expect(world.err()).toContain(
      `Turn ${id} continues without this command. See it: holdfast turns show ${id}. Cancel it: holdfast turns cancel ${id}`,
    );
    // A reader that is gone is no reason to end.
    const told = world.opened.length;
    world.signal('SIGPIPE');
    expect(world.opened).toHaveLength(told);
    await run(`turns cancel ${id}`);
    await waiting;
    await run('resume');
  });
});

describe('settings that cannot be read', () => {
  let stopped: Data;
  const write = (text: string) =>
    fs.writeFileSync(path.join(stopped.dataDir, 'config.json'), text, { mode: 0o600 });
  beforeEach(() => (stopped = createData()));
  afterEach(() => stopped.remove());
  const get = (...words: string[]) => worldOf(stopped.dataDir).run('config', 'get', ...words);

  it('S0-36 config get prints the value in force, and says on stderr that it is not the one of the file', async () => {
    write('{\n  "limits": {');
    const broken = await get('limits.max_waiting_turns');
    expect(broken).toMatchObject({ code: 0, out: '10000\n' });
    expect(broken.err).toMatch(/config\.json, line 2: .+\. The defaults are used\.\n/);
    expect((await get('limits', '--json')).err).toMatch(/config\.json, line 2: /);
  });

  it('S0-37 of a file with 1 wrong value, only what is asked about that value is said not to be in force', async () => {
    write('{\n  "limits": { "max_waiting_turns": "many" }\n}');
    const asked = [
      ['limits.max_waiting_turns'],
      ['limits'],
      [],
      ['limits.margin'],
      ['resilience'],
    ] as const;
    const said = await Promise.all(
      asked.map(async (words) => /config\.json, line 2: /.test((await get(...words)).err)),
    );
    expect(said).toEqual([true, true, true, false, false]);
  });
});

describe('a full disk while Holdfast is stopped', () => {
  it('X-06 reset, data export and data import say that the disk is full and that nothing was done, without a word of SQLite or tar', async (context) => {
    const stopped = createData();
    const disk = path.join(stopped.root, 'disk');
    fs.mkdirSync(disk);
    const mounted = mountSmallDisk(disk, 4_000);
    if (mounted.kind === 'refused') {
      stopped.remove();
      context.skip(`no tmpfs here: ${mounted.problem}`);
      return;
    }
    try {
      const one = composeIn(stopped);
      await one.lifecycle.start();
      await one.lifecycle.stop('stop');
      const dataDir = path.join(disk, 'data');
      fs.cpSync(stopped.dataDir, dataDir, { recursive: true });
      fs.chmodSync(dataDir, 0o700);
      // An archive of it takes more than what is left below.
      fs.writeFileSync(path.join(dataDir, 'kept'), randomBytes(200_000));
      const file = path.join(stopped.root, 'out.tgz');
      expect(await worldOf(dataDir).run('data', 'export', file)).toMatchObject({ code: 0 });
      const { bavail, bsize } = fs.statfsSync(disk);
      // Enough for the lock and the shared memory of the database, and for nothing else.
      fs.writeFileSync(path.join(disk, 'filler'), Buffer.alloc(bavail * bsize - 60_000));
      for (const [words, safe] of [
        [['reset', '--yes'], 'Nothing was reset.'],
        [['data', 'export', path.join(disk, 'out.tgz')], 'Nothing was exported.'],
      ] as const) {
        const { code, err } = await worldOf(dataDir).run(...words);
        expect({ words, code, err }).toMatchObject({
          code: 4,
          err: expect.stringMatching(/The disk of .+ is full\./) as string,
        });
        expect(err).toContain(`${safe}\nFree some space, then repeat the command.`);
      }
      const imported = await worldOf(path.join(disk, 'copy')).run('data', 'import', file);
      expect(imported).toMatchObject({ code: 4 });
      expect(imported.err).toContain('is full. Nothing was imported.');
      expect(fs.readdirSync(disk).toSorted()).toEqual(['data', 'filler']);
    } finally {
      mounted.unmount();
      stopped.remove();
    }
  });

  it.each([
    ['nothing', undefined, 'There is no file'],
    ['a folder', 'folder', 'is not a file.'],
    ['an empty file', '', 'is no export of Holdfast, or only a part of one.'],
    ['any text', 'hello', 'is no export of Holdfast, or only a part of one.'],
  ])(
    'X-06 data import of %s says so, that nothing was imported, and ends with 2',
    async (_what, content, said) => {
      const stopped = createData();
      const file = path.join(stopped.root, 'in.tgz');
      if (content === 'folder') fs.mkdirSync(file);
      else if (content !== undefined) fs.writeFileSync(file, content);
      const ended = await worldOf(path.join(stopped.root, 'new')).run('data', 'import', file);
      expect(ended.code).toBe(2);
      expect(ended.err).toContain(said);
      expect(ended.err).toContain('. Nothing was imported.\n');
      expect(ended.err).not.toMatch(/gzip|tar[ :]/);
      stopped.remove();
    },
  );

  it.each([
    ['a folder that is not there', 'none/out.tgz', 'its folder does not exist'],
    ['a name below a file', 'file/out.tgz', 'a part of its path is not a folder'],
  ])('X-06 data export to %s says so and ends with 2', async (_what, name, said) => {
    const stopped = createData();
    const one = composeIn(stopped);
    await one.lifecycle.start();
    await one.lifecycle.stop('stop');
    fs.writeFileSync(path.join(stopped.root, 'file'), '');
    const ended = await worldOf(stopped.dataDir).run(
      'data',
      'export',
      path.join(stopped.root, name),
    );
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(`cannot be written: ${said}. Nothing was exported.`);
    stopped.remove();
  });
});
