import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who writes a file without electron/disk, and why a power cut may take it. */
const ALLOWED: Readonly<Record<string, string>> = {
  'electron/adapters/log/audit.ts': 'the audit is no input to recovery; a sync a line costs more',
  'electron/adapters/log/rotating-file.ts': 'the log, likewise; old logs are renamed',
  'electron/adapters/instance/kernel-lock.ts': 'lock.db has no content, only a lock on it',
  'electron/adapters/instance/held-lock.ts':
    'the sign of life: a lost one makes a downtime look longer',
  'electron/adapters/config/settings-file.ts': 'an empty probe, removed at once',
  'electron/adapters/search/search-index.ts':
    'an empty file with its mode; the search index is built again from the journal',
  'electron/adapters/shared-store/server/fetch-programs.ts':
    'opens fetched files again to sync them; the folder gets its name from electron/disk',
  'electron/cli/demo-night.ts':
    'scripts that play an agent and a phone; their folder goes with the demo',
  'electron/control/server.ts': 'a socket is renamed, not a file',
};

const CALLS =
  /\b(?:rename|writeFile|appendFile|copyFile|cp|link|truncate|createWriteStream)(?:Sync)?\(/;
const OPENS_TO_WRITE = /\bopen(?:Sync)?\([^;]{0,200}?'(?:w|a|r\+)[a-z+]*'/s;
const CONSTANTS = /\bO_(?:WRONLY|RDWR|APPEND|CREAT)\b/;

/** Code without comments. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
const writes = (text: string): boolean => {
  const code = codeOf(text);
  // `conf` writes nothing by itself: its `_write` is ours.
  return CALLS.test(code) || OPENS_TO_WRITE.test(code) || CONSTANTS.test(code);
};

const files = readdirSync('electron', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('electron', name).replaceAll('\\', '/'))
  // What is pure has no files, and lint says so.
  .filter((name) => !/^electron\/(?:disk|engine|ports)\//.test(name));

describe('one writer', () => {
  it.each([
    'renameSync(`${path}.tmp`, path);',
    'await fs.promises.writeFile(path, text);',
    "const fd = openSync(path, 'a', 0o600);",
    "const handle = await open(\n  path,\n  'wx',\n);",
    'fs.openSync(temporary, fs.constants.O_CREAT | fs.constants.O_EXCL);',
    'fs.createWriteStream(path)',
    'copyFileSync(a, b)',
  ])('S4-14 sees that a file is written in: %s', (code) => {
    expect(writes(code)).toBe(true);
  });

  it.each([
    "openSync(path, 'r')",
    '// renameSync(a, b)',
    'removeDurably(path)',
    'openResponseCache(deps)',
  ])('S4-14 sees that no file is written in: %s', (code) => {
    expect(writes(code)).toBe(false);
  });

  it('S4-14 writes and renames files outside SQLite in electron/disk alone', () => {
    const found = files.filter((file) => writes(readFileSync(file, 'utf8')));
    expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
  });
});
