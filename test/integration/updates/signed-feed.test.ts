/** The signed list of versions, from a real server on the loopback. UP-02 */
import { execFileSync } from 'node:child_process';
import { sign } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUpdateSource, listName } from '../../../electron/adapters/updates/signed-feed';
import { createUpdateNotes } from '../../../electron/adapters/updates/update-notes';
import type { UpdateSource } from '../../../electron/ports/updates';
import { newKey, serve, signedList } from '../../crash/update-world';

const key = newKey();
const NAME = 'Holdfast-0.2.0.AppImage';
const CONTENT = 'the new program\n'.repeat(5_000);
const LIST = listName('linux', 'x64');
const served = new Map<string, Buffer | string>();
let server: Server;
let feed: string;
let dataDir: string;
let source: UpdateSource;
const from = () => ({ feed, publicKey: key.publicKey });

beforeAll(async () => {
  ({ server, feed } = await serve(served));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-feed-'));
  source = createUpdateSource({ dataDir, platform: 'linux', arch: 'x64', ending: '.AppImage' });
  served.clear();
  const { list, signature } = signedList('0.2.0', { name: NAME, content: CONTENT }, key.privateKey);
  served.set(LIST, list);
  served.set(`${LIST}.sig`, signature);
  served.set(NAME, CONTENT);
});

const list = (): string => String(served.get(LIST));

describe('UP-02 the list', () => {
  it('is read with its signature, and the file arrives whole, private and executable', async () => {
    const offer = await source.readOffer(from());
    expect(offer.version).toBe('0.2.0');
    const file = offer.file ?? { url: '', sha512: '', bytes: 0 };
    expect(file.url).toBe(`${feed}${NAME}`);
    const at = await source.download(file, '0.2.0');
    expect(fs.readFileSync(at, 'utf8')).toBe(CONTENT);
    expect(fs.statSync(at).mode & 0o777).toBe(0o700);
    served.delete(NAME);
    expect(await source.download(file, '0.2.0')).toBe(at); // it is there: nothing is requested
  });

  it.each([
    ['has no signature', () => served.delete(`${LIST}.sig`)],
    [
      'is signed by another key',
      () => {
        const other = signedList('0.2.0', { name: NAME, content: CONTENT }, newKey().privateKey);
        served.set(`${LIST}.sig`, other.signature);
      },
    ],
    ['was changed after it was signed', () => served.set(LIST, list().replace('0.2.0', '0.2.1'))],
    ['has one byte more', () => served.set(LIST, `${list()} `)],
    [
      'has the signature of another list',
      () => {
        const other = signedList('0.3.0', { name: NAME, content: CONTENT }, key.privateKey);
        served.set(`${LIST}.sig`, other.signature);
      },
    ],
    ['has a signature that is not one', () => served.set(`${LIST}.sig`, 'hello')],
    ['is longer than a list', () => served.set(LIST, 'x'.repeat(70_000))],
  ] as const)('is refused where it %s', async (_what, change) => {
    change();
    await expect(source.readOffer(from())).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(fs.existsSync(path.join(dataDir, 'updates'))).toBe(false);
  });

  it.each([
    'https://elsewhere.example/Holdfast-0.2.0.AppImage',
    '../Holdfast-0.2.0.AppImage',
    '/etc/Holdfast-0.2.0.AppImage',
    'a/Holdfast-0.2.0.AppImage',
  ])(
    'that is signed and names a file %s is refused: a list names files beside it',
    async (name) => {
      const other = signedList('0.2.0', { name, content: CONTENT }, key.privateKey);
      served.set(LIST, other.list);
      served.set(`${LIST}.sig`, other.signature);
      await expect(source.readOffer(from())).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    },
  );

  const signed = (text: string): void => {
    served.set(LIST, text);
    served.set(`${LIST}.sig`, sign(null, Buffer.from(text), key.privateKey).toString('base64'));
  };

  it.each([
    ['says that it is for darwin', (text: string) => `platform: darwin\n${text}`, 'for darwin'],
    ['says that it is for arm64', (text: string) => `arch: arm64\n${text}`, 'for arm64'],
    [
      'has no file of this kind but one for arm64',
      (text: string) => text.replace(NAME, 'holdfast-0.2.0-linux-arm64.AppImage'),
      'for arm64',
    ],
    [
      'has no file of this kind but one for another system',
      (text: string) => text.replace(NAME, 'holdfast-0.2.0-mac-x64.AppImage'),
      'for darwin',
    ],
  ])('of the right key that %s is refused on x64 Linux', async (_what, change, why) => {
    signed(change(list()));
    const message = new RegExp(`${why}.*linux x64`);
    await expect(source.readOffer(from())).rejects.toMatchObject({
      code: 'UPDATE_REFUSED',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each(['x64', 'x86_64', 'amd64'])(
    'for several architectures offers the file that is named for %s',
    async (arch) => {
      const [head = '', entry = ''] = list().split('files:\n');
      const own = `holdfast-0.2.0-linux-${arch}.AppImage`;
      const files = entry.replace(/releaseDate.*\n/, '');
      const other = files.replace(NAME, 'holdfast-0.2.0-linux-aarch64.AppImage');
      signed(`${head}platform: linux\narch: x64\nfiles:\n${other}${files.replace(NAME, own)}`);
      expect((await source.readOffer(from())).file?.url).toBe(`${feed}${own}`);
    },
  );

  it('that cannot be reached is no refusal', async () => {
    served.delete(LIST);
    await expect(source.readOffer(from())).rejects.toMatchObject({ code: 'UPDATE_UNREACHABLE' });
  });

  it('without a file for this installation offers a version alone', async () => {
    const other = signedList('0.2.0', { name: 'holdfast.deb', content: CONTENT }, key.privateKey);
    served.set(LIST, other.list);
    served.set(`${LIST}.sig`, other.signature);
    expect(await source.readOffer(from())).toEqual({ version: '0.2.0' });
  });
});

describe('UP-02 the script that makes the list', () => {
  it('signs it over the packages of a folder with a new key, and it is read with that key', async () => {
    const folder = path.join(dataDir, 'out');
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, NAME), CONTENT);
    const script = (...args: string[]): string =>
      execFileSync(process.execPath, ['build/update-feed.mjs', ...args], { encoding: 'utf8' });
    const pem = path.join(dataDir, 'key.pem');
    const publicKey = script('--new-key', pem).trim().split('\n').at(-1) ?? '';
    expect(fs.statSync(pem).mode & 0o777).toBe(0o600);
    script('--key', pem, '--version', '0.2.0', '--platform', 'linux', folder);
    for (const name of fs.readdirSync(folder))
      served.set(name, fs.readFileSync(path.join(folder, name)));
    const made = listName('linux', process.arch);
    expect(String(served.get(made))).toContain(`platform: linux\narch: ${process.arch}\n`);
    served.set(LIST, served.get(made) ?? '');
    served.set(`${LIST}.sig`, served.get(`${made}.sig`) ?? '');
    const { version, file } = await source.readOffer({ feed, publicKey });
    expect(version).toBe('0.2.0');
    const at = await source.download(file ?? { url: '', sha512: '', bytes: 0 }, version);
    expect(fs.readFileSync(at, 'utf8')).toBe(CONTENT);
    await expect(source.readOffer(from())).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
  });
});

describe('UP-02 the file', () => {
  const fetched = async (version: string): Promise<string> => {
    const { file } = await source.readOffer(from());
    return source.download(file ?? { url: '', sha512: '', bytes: 0 }, version);
  };

  it.each([
    ['ENOSPC', 'DISK_FULL'],
    ['EROFS', 'DISK_READ_ONLY'],
    ['EIO', 'DISK_FAILED'],
    ['EMFILE', 'EMFILE'],
  ])('is not blamed on the network where the disk says %s', async (errno, code) => {
    const refusal = Object.assign(new Error(errno), { code: errno });
    const open = vi.spyOn(fs.promises, 'open').mockRejectedValue(refusal);
    await expect(fetched('0.2.0')).rejects.toMatchObject({ code });
    open.mockRestore();
  });

  it('that ends early is tried again later', async () => {
    const cut = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    });
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    const { port } = cut.address() as AddressInfo;
    const file = { url: `http://127.0.0.1:${String(port)}/`, sha512: '', bytes: 1000 };
    await expect(source.download(file, '0.2.0')).rejects.toMatchObject({
      code: 'UPDATE_UNREACHABLE',
    });
    cut.close();
  });

  it('replaces older ones and what a kill has left, but not the one that is ready', async () => {
    const folder = path.join(dataDir, 'updates');
    fs.mkdirSync(folder);
    const name = (version: string): string => `holdfast-${version}.AppImage`;
    for (const left of [name('0.0.9'), name('0.1.9'), `${name('0.1.9')}.999999-abcdef12-1.tmp`])
      fs.writeFileSync(path.join(folder, left), 'large');
    const ready = path.join(folder, name('0.1.9'));
    createUpdateNotes(dataDir).write({
      ...{ phase: 'ready', from: '0.1.0', to: '0.1.9', atMs: 1, seen: '0.2.0', sha512: '' },
      ...{ artifact: ready, target: '/x', args: [], attempts: 0 },
    });
    await fetched('0.2.0');
    expect(fs.readdirSync(folder).toSorted()).toEqual([
      name('0.1.9'),
      name('0.2.0'),
      'update.json',
    ]);
  });

  it.each([
    ['other bytes of the same length', CONTENT.replace('new', 'bad')],
    ['more bytes', `${CONTENT}more`],
    ['fewer bytes', CONTENT.slice(1)],
    ['nothing', ''],
  ])('is refused with %s, and nothing of it stays', async (_what, content) => {
    const { file } = await source.readOffer(from());
    served.set(NAME, content);
    await expect(
      source.download(file ?? { url: '', sha512: '', bytes: 0 }, '0.2.0'),
    ).rejects.toMatchObject({ code: 'UPDATE_REFUSED' });
    expect(fs.readdirSync(path.join(dataDir, 'updates'))).toEqual([]);
  });
});
