/** What nobody uses is deleted, not kept: exports that nobody imports, error codes, words of the catalogue. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../shared/error-codes';
import { EN } from '../../../shared/messages/en';

const sourcesIn = (...folders: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    folders
      .flatMap((folder) =>
        fs
          .readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .map((name) => path.join(folder, name)),
      )
      .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
      .map((file) => [file, fs.readFileSync(file, 'utf8')]),
  );

const namesIn = (text: string): readonly string[] => text.match(/[A-Za-z_$][\w$]*/g) ?? [];

const EXPORTED =
  /^export (?:async )?(?:function|const|class|interface|type|let) ([A-Za-z_$][\w$]*)/gm;
/** They exist to be checked by the compiler. */
const PROOFS = new Set(['VERBS_ARE_COMPLETE', 'EVENTS_ARE_COMPLETE']);

describe('nothing without a user', () => {
  it('set-up every exported name is used in a file other than its own', () => {
    const sources = new Map([
      ...sourcesIn('electron', 'shared', 'renderer', 'build', 'test'),
      ['vite.config.ts', fs.readFileSync('vite.config.ts', 'utf8')],
    ]);
    const files = new Map<string, number>();
    for (const text of sources.values())
      for (const name of new Set(namesIn(text))) files.set(name, (files.get(name) ?? 0) + 1);
    const alone = [...sources].flatMap(([file, text]) =>
      file.startsWith('test')
        ? []
        : [...text.matchAll(EXPORTED)]
            .map(([, name = '']) => name)
            .filter((name) => files.get(name) === 1 && !PROOFS.has(name))
            .map((name) => `${file}: ${name}`),
    );
    expect(alone).toEqual([]);
    // It reads every file: a machine at work takes its time.
  });

  it('set-up every error code is said somewhere', () => {
    const said = new Set([...sourcesIn('electron', 'renderer').values()].flatMap(namesIn));
    expect(ERROR_CODES.filter((code) => !said.has(code))).toEqual([]);
  });

  it('set-up every word of the catalogue is asked for, by its key or by the start of one', () => {
    const asked = new Set<string>();
    const starts = new Set<string>();
    const ends = new Set<string>();
    for (const [file, text] of sourcesIn('electron', 'renderer', 'shared')) {
      if (file.startsWith(path.join('shared', 'messages'))) continue;
      for (const [word] of text.matchAll(/[\w.-]+/g)) asked.add(word);
      for (const [, start = ''] of text.matchAll(/`([\w.-]+)\.\$\{/g)) starts.add(start);
      for (const [, end = ''] of text.matchAll(/\}\.([\w.-]+)`/g)) ends.add(end);
    }
    const isMade = (key: string): boolean => {
      const parts = key.split('.');
      return parts.some(
        (_part, at) =>
          at > 0 &&
          (starts.has(parts.slice(0, at).join('.')) || ends.has(parts.slice(at).join('.'))),
      );
    };
    expect(Object.keys(EN).filter((key) => !asked.has(key) && !isMade(key))).toEqual([]);
  });
});
