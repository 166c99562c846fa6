/** A command that ends with 0 while nothing runs: a power cut right behind it finds what it did. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../helpers/built-program';
import { createRandom } from '../helpers/random';
import { createDisk, recordsOf } from './disk-images';
import { diskShim, shimEnv } from './disk-shim';
import { databaseProblems, rowsOf } from './evidence';
import { createRealm, endRealms, startLife } from './lives';
import type { Realm } from './realm';

afterAll(endRealms);

const shim = diskShim();
const IMAGES = 12;
const KEY = 'sk-cut-4711';

interface CutCommand {
  readonly what: string;
  readonly words: readonly string[];
  readonly input?: string;
  /** It leaves no database. */
  readonly isRemoval?: true;
  /** Is it there, in what the cut has left? */
  readonly isThere: (left: Realm) => boolean;
}

const read = (left: Realm, name: string): string => {
  const file = path.join(left.dataDir, name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
};
const hasSecret = (left: Realm): boolean => {
  const folder = path.join(left.dataDir, 'secrets');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names.some((name) => read(left, `secrets/${name}`).includes(KEY));
};

const COMMANDS: readonly CutCommand[] = [
  {
    what: 'provider set-key',
    words: ['provider', 'set-key', 'office', '--allow-plaintext'],
    input: `${KEY}\n`,
    isThere: hasSecret,
  },
  {
    what: 'channels set-secret',
    words: ['channels', 'set-secret', 'hook', '--allow-plaintext'],
    input: `${KEY}-of-a-channel\n`,
    isThere: hasSecret,
  },
  {
    what: 'gateway token add',
    words: ['gateway', 'token', 'add', 'laptop'],
    isThere: (left) =>
      rowsOf(left, "SELECT 1 FROM gateway_clients WHERE name = 'laptop'").length > 0,
  },
  {
    what: 'config set',
    words: ['config', 'set', 'log.level', 'debug'],
    isThere: (left) => read(left, 'config.json').includes('"debug"'),
  },
  {
    what: 'tasks add',
    words: ['tasks', 'add', 'look', '--schedule', 'every 1h', '--agent', 'fake'],
    isThere: (left) => rowsOf(left, 'SELECT 1 FROM tasks').length > 0,
  },
  {
    what: 'data remove',
    words: ['data', 'remove', '--yes'],
    isRemoval: true,
    // Nor under another name.
    isThere: (left) => fs.readdirSync(left.root).every((name) => !name.startsWith('data')),
  },
];

describe.skipIf(shim === undefined)('a command while nothing runs', () => {
  it.each(COMMANDS)(
    'S4-14 K5 $what has done what it said, whatever a power cut leaves',
    async (told) => {
      const realm = createRealm('always', {
        'providers.office': { kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' },
        'channels.own.hook': { kind: 'webhook', url: 'http://127.0.0.1:9/hook' },
      });
      const before = startLife(realm);
      await before.ready();
      await before.stop();
      const disk = createDisk(realm.root, () => false);
      const tracePath = path.join(os.tmpdir(), `${path.basename(realm.root)}.trace`);
      const ended = spawnSync(process.execPath, [builtProgram(), ...told.words], {
        input: told.input ?? '',
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: realm.outside,
          HOLDFAST_HOME: realm.dataDir,
          ...shimEnv(shim ?? '', realm.root, tracePath),
        },
      });
      const trace = fs.readFileSync(tracePath);
      fs.rmSync(tracePath);
      expect([ended.status, ended.status === 0 ? '' : ended.stderr]).toEqual([0, '']);
      const random = createRandom(1);
      for (const record of recordsOf(trace)) disk.take(record, random);
      const missing: number[] = [];
      for (let image = 0; image < IMAGES; image += 1) {
        const root = path.join(realm.root, `left-${String(image)}`);
        disk.leave(root, 'strict', random);
        const left = { ...realm, root, dataDir: path.join(root, 'data') };
        if (told.isRemoval !== true) expect(databaseProblems(left)).toEqual([]);
        if (!told.isThere(left)) missing.push(image);
      }
      expect(missing).toEqual([]);
    },
  );
});
