import { describe, expect, it } from 'vitest';
import {
  leadsOut,
  MAX_BYTES,
  repositoryName,
  whyNotMove,
} from '../../../electron/adapters/git-workspace/plan';

describe('what may move of a repository', () => {
  it.each([
    ['a', 'b', false],
    ['a', './b/c', false],
    ['a', './b/../c', true],
    // Where `b` is a link to a folder nearer to the top, this is above the top.
    ['a', 'x/y/b/../../../c', true],
    ['x/y/a', '../b/../c', true],
    ['a', String.raw`x\y/..`, true],
    ['x/a', '.././b', false],
    ['x/a', '../b', false],
    ['x/y/a', '../../b', false],
    ['a', '../b', true],
    ['x/a', '../../b', true],
    ['x/a', 'y/../../../b/x', true],
    ['a', '/etc', true],
    ['a', String.raw`..\b`, true],
    ['a', String.raw`C:\b`, true],
    ['a', String.raw`\\host\share`, true],
    ['a', '', true],
  ])('DW-20 a link %s to %s leads out: %s', (name, target, isOut) => {
    expect(leadsOut(name, target)).toBe(isOut);
  });

  it.each([
    ['https://github.com/ada/tool.git', 'github.com/ada/tool'],
    ['https://ada:token@GitHub.com/ada/tool/', 'github.com/ada/tool'],
    ['git@github.com:ada/tool.git', 'github.com/ada/tool'],
    ['ssh://git@github.com:22/ada/tool', 'github.com/ada/tool'],
    ['/home/ada/tool.git', 'first'],
    ['file:///home/ada/tool.git', 'first'],
    ['../tool', 'first'],
    [String.raw`C:\tool`, 'first'],
    ['C:/tool', 'first'],
    [`https://github.com/${'a'.repeat(200)}`, 'first'],
    [undefined, 'first'],
  ])('DW-18 DW-20 the repository of %s is called %s', (url, name) => {
    expect(repositoryName(url, 'first')).toBe(name);
  });

  it('DW-18 DW-20 names of keys and login files are refused in every folder, examples are not', () => {
    for (const name of [
      ...['.env', '.env.local', '.ENV', 'id_rsa', 'id_ed25519', '.netrc', '.npmrc', '.pypirc'],
      ...['.git-credentials', 'credentials.json', 'a.pem', 'tls.key', 'store.p12', 'x.kdbx'],
    ])
      expect([name, whyNotMove([{ path: `a/${name}`, bytes: 1 }])]).toEqual([
        name,
        expect.stringContaining('key or a login file'),
      ]);
    for (const name of [
      '.env.example',
      '.env.sample',
      'environment',
      'key.ts',
      'id_rsa.pub',
      'pem',
    ])
      expect(whyNotMove([{ path: `a/${name}`, bytes: 1 }])).toBeUndefined();
  });

  it('DW-20 64 MB move, one byte more does not, however many files it is in', () => {
    const half = { path: 'a', bytes: MAX_BYTES / 2 };
    expect(whyNotMove([half, half])).toBeUndefined();
    expect(whyNotMove([half, half, { path: 'b\n', bytes: 1 }])).toMatch(
      /^The changed and new files have 65 MB, and at most 64 MB .* The largest is a\./,
    );
  });
});
