import { describe, expect, it } from 'vitest';
import {
  faultOfGiven,
  faultOfOwn,
  faultOfWay,
  privateGroupOf,
  rootUidsOf,
  type Account,
  type SeenPath,
} from '../../../electron/disk/ownership-rules';

const me: Account = { uid: 1000, privateGid: 1000, rootUids: [0] };
const seen = (change: Partial<SeenPath>): SeenPath => ({
  kind: 'folder',
  uid: 1000,
  gid: 50,
  mode: 0o700,
  ...change,
});
const said = (fault: ReturnType<typeof faultOfOwn>): string => {
  if (fault === undefined) return 'fine';
  return fault.kind === 'writable' ? fault.by : fault.kind;
};

describe('K5 whose a path is', () => {
  it.each<[string, Partial<SeenPath>, own: string, given: string, way: string]>([
    ['ours, closed', {}, 'fine', 'fine', 'fine'],
    ['ours, readable by all', { mode: 0o755 }, 'fine', 'fine', 'fine'],
    ['ours, written by a group', { mode: 0o770 }, 'group', 'group', 'group'],
    ['ours, set-group-id of a group', { mode: 0o2775 }, 'group', 'group', 'group'],
    ['ours, written by our own group', { mode: 0o775, gid: 1000 }, 'fine', 'fine', 'fine'],
    ['ours, written by all', { mode: 0o777, gid: 1000 }, 'everyone', 'everyone', 'everyone'],
    ['ours, written by all but not the group', { mode: 0o702 }, 'everyone', 'everyone', 'everyone'],
    ['ours, written by all, sticky', { mode: 0o1777 }, 'everyone', 'everyone', 'fine'],
    ['of root', { uid: 0, mode: 0o755 }, 'owner', 'fine', 'fine'],
    ['of root, written by all', { uid: 0, mode: 0o777 }, 'owner', 'everyone', 'everyone'],
    ['of root, sticky', { uid: 0, mode: 0o1777 }, 'owner', 'everyone', 'fine'],
    ['of another', { uid: 1001 }, 'owner', 'owner', 'owner'],
    ['of another, sticky', { uid: 1001, mode: 0o1777 }, 'owner', 'owner', 'owner'],
    ['a link of ours', { kind: 'link', mode: 0o777 }, 'link', 'fine', 'fine'],
    ['a link of root', { kind: 'link', uid: 0, mode: 0o777 }, 'owner', 'fine', 'fine'],
    ['a link of another', { kind: 'link', uid: 1001, mode: 0o777 }, 'owner', 'owner', 'owner'],
  ])('K5 %s', (_name, change, own, given, way) => {
    const path = seen(change);
    expect([
      said(faultOfOwn(path, me)),
      said(faultOfGiven(path, me)),
      said(faultOfWay(path, me)),
    ]).toEqual([own, given, way]);
  });

  it('K5 for root, too, another account is another account', () => {
    const root: Account = { uid: 0, privateGid: undefined, rootUids: [0] };
    expect(said(faultOfOwn(seen({ uid: 1000 }), root))).toBe('owner');
    expect(said(faultOfOwn(seen({ uid: 0, gid: 0, mode: 0o770 }), root))).toBe('group');
  });
});

describe('K5 a group that is nobody else’s', () => {
  const passwd = 'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n';
  it.each<[string, number, string, string, number | undefined]>([
    ['made for the account', 1000, passwd, 'ada:x:1000:\n', 1000],
    ['with itself as its member', 1000, passwd, 'ada:x:1000:ada\n', 1000],
    ['with another member', 1000, passwd, 'ada:x:1000:ada,bob\n', undefined],
    ['named twice, once with another member', 1000, passwd, 'a:x:1000:\nb:x:1000:bob\n', undefined],
    [
      'that is the first group of another account',
      1000,
      `${passwd}bob:x:1001:1000::/home/bob:/bin/sh\n`,
      'ada:x:1000:\n',
      undefined,
    ],
    ['that no file names', 1000, passwd, 'bob:x:1001:\n', undefined],
    ['of an account that no file names', 4711, passwd, 'x:x:4711:\n', undefined],
    ['of root', 0, passwd, 'root:x:0:\n', undefined],
    ['that is the one of root', 7, 'sync:x:7:0::/:/bin/sync\n', 'root:x:0:\n', undefined],
    ['where there are no files', 1000, '', '', undefined],
    ['where the files are damaged', 1000, 'ada:x:1000\n::::\n', 'ada\n', undefined],
  ])('K5 %s', (_name, uid, accounts, groups, expected) => {
    expect(privateGroupOf(uid, accounts, groups)).toBe(expected);
  });
});

describe('K5 who stands for root', () => {
  it.each<[string, string, string, readonly number[]]>([
    ['no namespace', '         0          0 4294967295\n', '65534\n', [0]],
    ['a container that maps root', '0 0 1\n1 100000 65536\n', '65534\n', [0]],
    ['a namespace of one account', '      1000       1000          1\n', '65534\n', [0, 65_534]],
    ['one whose root is an account outside', '0 1000 1\n', '65534\n', [0, 65_534]],
    ['a system without such files', '', '', [0]],
  ])('K5 %s', (_name, uidMap, overflow, expected) => {
    expect(rootUidsOf(uidMap, overflow)).toEqual(expected);
  });
});
