/**
 * What a power cut leaves is what was synced before it, in any order in between. The order of the
 * calls is what can be shown without cutting the power: read from strace, where there is one.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRealm, endRealms, startLife } from './lives';
import { isLeftOut } from '../helpers/skips';

afterEach(endRealms);

type Call =
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string };

/**
 * Calls in the order in which they came back; one that is interrupted counts where it resumes. A
 * name that goes through an opened folder (`/proc/self/fd/20/a.txt`) is told by where that folder is.
 */
function callsOf(trace: string): Call[] {
  const begun = new Map<string, string>();
  const opened = new Map<string, string>();
  const placed = (name: string): string =>
    name.replace(/^\/proc\/self\/fd\/(\d+)/, (itself, fd: string) => opened.get(fd) ?? itself);
  return trace.split('\n').flatMap((line): Call[] => {
    const [, thread = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (text.endsWith('<unfinished ...>')) {
      begun.set(thread, text);
      return [];
    }
    const whole = text.startsWith('<...') ? `${begun.get(thread) ?? ''} ${text}` : text;
    const [, fd, target] = /^openat\(.*= (\d+)<([^>]+)>$/.exec(whole) ?? [];
    if (fd !== undefined && target !== undefined) opened.set(fd, target);
    if (!/= 0$/.test(whole)) return [];
    const synced = /^f(?:data)?sync\(\d+<([^>]+)>/.exec(whole)?.[1];
    if (synced !== undefined) return [{ kind: 'sync', path: synced }];
    const [, from, to] = /^(?:rename|link)\w*\((?:[^"]*)"([^"]+)",[^"]*"([^"]+)"/.exec(whole) ?? [];
    return from === undefined || to === undefined
      ? []
      : [{ kind: 'rename', from: placed(from), to: placed(to) }];
  });
}

const hasStrace =
  process.platform === 'linux' && spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0;

describe.skipIf(isLeftOut('syncs before a power cut', !hasStrace && 'strace does not run here'))(
  'what a power cut leaves',
  () => {
    it('S4-14 a file is synced, renamed, its folder synced, and only then a row that names it', async () => {
      const realm = createRealm('safe_only');
      const tracePath = path.join(realm.root, 'trace.txt');
      const life = startLife(realm, { tracePath });
      await life.ready();
      await life.accept('big b', { channel: 'cli', peer: 'a' });
      // One after the other: the next sync of the journal is the one that names the file.
      await life.ask({ kind: 'quiet' });
      await life.accept('files w', { channel: 'cli', peer: 'b' });
      await life.ask({ kind: 'quiet' });
      await life.call('config.set', { key: 'log.level', value: 'debug' });
      await life.stop();
      const calls = callsOf(fs.readFileSync(tracePath, 'utf8'));
      const wal = path.join(realm.dataDir, 'holdfast.db-wal');
      const judged = { blobs: 0, workspace: 0, 'config.json': 0, 'agent.lock': 0 };
      for (const [index, call] of calls.entries()) {
        if (call.kind !== 'rename') continue;
        const relative = path.relative(realm.root, call.to);
        const what = Object.keys(judged).find((name) => relative.includes(name)) as
          keyof typeof judged | undefined;
        if (what === undefined) continue;
        judged[what] += 1;
        const isSynced = (target: string, from: number, to: number): boolean =>
          calls.slice(from, to).some((one) => one.kind === 'sync' && one.path === target);
        const next = calls.findIndex(
          (one, at) => at > index && one.kind === 'sync' && one.path === wal,
        );
        const end = next < 0 ? calls.length : next;
        expect([relative, isSynced(call.from, 0, index)]).toEqual([relative, true]);
        expect([`folder of ${relative}`, isSynced(path.dirname(call.to), index, end)]).toEqual([
          `folder of ${relative}`,
          true,
        ]);
      }
      expect(Object.entries(judged).filter(([, count]) => count === 0)).toEqual([]);
      expect(judged.workspace).toBe(2);
    });
  },
);
