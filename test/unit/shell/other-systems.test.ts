/** Small choices that depend on the system, each for all three. UP-03 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { findBrowser } from '../../../electron/adapters/browser/find-browser';
import { shellWord } from '../../../electron/adapters/command';
import { listName } from '../../../electron/adapters/updates/signed-feed';

it.each([
  ['win32', 'x64', 'latest.yml'],
  ['win32', 'arm64', 'latest.yml'],
  ['darwin', 'arm64', 'latest-mac.yml'],
  ['linux', 'x64', 'latest-linux.yml'],
  ['linux', 'arm64', 'latest-linux-arm64.yml'],
])('UP-03 on %s %s the list of updates is %s', (platform, arch, name) => {
  expect(listName(platform, arch)).toBe(name);
});

it.each([
  ['win32', 'C:\\a b', '"C:\\a b"'],
  ['win32', 'a" & del x', '"a & del x"'],
  ['darwin', "it's", String.raw`'it'\''s'`],
  ['linux', '$(id)', "'$(id)'"],
])('UP-03 on %s the word %s goes into a command line as %s', (platform, word, quoted) => {
  expect(shellWord(word, platform)).toBe(quoted);
});

it.each([
  ['ProgramFiles', 'Google/Chrome/Application/chrome.exe'],
  ['ProgramFiles(x86)', 'Microsoft/Edge/Application/msedge.exe'],
  ['LOCALAPPDATA', 'Chromium/Application/chrome.exe'],
])('UP-03 on Windows the browser is found in %s, and only there', (name, below) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-browser-'));
  try {
    const path = join(folder, below);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '', { mode: 0o755 });
    expect(findBrowser('', { PATH: '', [name]: folder }, 'win32')).toEqual({ kind: 'found', path });
    const elsewhere = findBrowser('', { PATH: '', [name]: folder }, 'linux');
    expect(elsewhere).not.toEqual({ kind: 'found', path });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
