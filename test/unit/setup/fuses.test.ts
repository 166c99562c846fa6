import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as fuses from '../../../build/setup/fuses.mjs';

const { flipShippedFuses, readFuseDifferences, refuseWrongFuses, shippedFuses } = fuses as {
  refuseWrongFuses: (executable: string, platform: string) => Promise<void>;
  flipShippedFuses: (executable: string, platform: string) => Promise<void>;
  readFuseDifferences: (executable: string, platform: string) => Promise<string[]>;
  shippedFuses: (platform: string) => Record<string, boolean>;
};

const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const wireAt = 'head'.length + sentinel.length + 2;

/** A file with a fuse wire as Electron ships it: nine fuses, version 1, Electron's defaults. */
const withWire = (states = '110100011'): string => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-fuses-'));
  dirs.push(dir);
  const file = join(dir, 'app');
  const wire = Buffer.concat([Buffer.of(1, states.length), Buffer.from(states)]);
  writeFileSync(file, Buffer.concat([Buffer.from(`head${sentinel}`), wire, Buffer.from('tail')]));
  return file;
};

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

describe('F1: fuses of the shipped executable', () => {
  it.each(['linux', 'darwin', 'win32'])(
    'F1 finds differences before flipping and none after it, on %s',
    async (platform) => {
      const file = withWire();
      const before = await readFuseDifferences(file, platform);
      expect(before).toContain('RunAsNode is on, wanted off');
      expect(before).toContain('OnlyLoadAppFromAsar is off, wanted on');
      // The signature that macOS needs again after a flip can only be made on macOS.
      await flipShippedFuses(file, platform === 'darwin' ? 'win32' : platform);
      expect(await readFuseDifferences(file, platform)).toEqual([]);
    },
  );

  it('F1 notices each single fuse that is not as it ships', async () => {
    const names = Object.keys(shippedFuses('linux'));
    expect(names).toHaveLength(8);
    const file = withWire();
    await flipShippedFuses(file, 'linux');
    const good = readFileSync(file);
    for (let index = 0; index < names.length; index += 1) {
      const bad = Buffer.from(good);
      bad.writeUInt8(bad.readUInt8(wireAt + index) === 0x31 ? 0x30 : 0x31, wireAt + index);
      writeFileSync(file, bad);
      expect(await readFuseDifferences(file, 'linux'), `fuse ${index}`).toHaveLength(1);
    }
  });

  it('F1 a package whose executable reads back one wrong fuse is refused with its name and the file', async () => {
    const file = withWire();
    await flipShippedFuses(file, 'linux');
    await refuseWrongFuses(file, 'linux');
    const bad = readFileSync(file);
    bad.writeUInt8(0x31, wireAt);
    writeFileSync(file, bad);
    await expect(refuseWrongFuses(file, 'linux')).rejects.toThrow(
      `F1: wrong fuses in ${file}:\nRunAsNode is on, wanted off`,
    );
  });

  it('F1 ships without plain Node, NODE_OPTIONS and inspector, and with the archive only', () => {
    expect(shippedFuses('linux')).toMatchObject({
      RunAsNode: false,
      EnableNodeOptionsEnvironmentVariable: false,
      EnableNodeCliInspectArguments: false,
      OnlyLoadAppFromAsar: true,
      GrantFileProtocolExtraPrivileges: false,
    });
    expect(shippedFuses('darwin')['EnableEmbeddedAsarIntegrityValidation']).toBe(true);
  });

  it('F1 leaves a fuse that it does not know as it was', async () => {
    const file = withWire();
    await flipShippedFuses(file, 'linux');
    expect(readFileSync(file).toString('latin1', wireAt + 8, wireAt + 9)).toBe('1');
  });
});
