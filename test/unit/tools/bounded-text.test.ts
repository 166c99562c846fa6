import { describe, expect, it } from 'vitest';
import { isAllowedAddress } from '../../../electron/adapters/fetch/public-address';
import { htmlToText } from '../../../electron/adapters/fetch/html-text';
import {
  buildChildEnvironment,
  isSecretLooking,
} from '../../../electron/adapters/shell/child-environment';
import { createOutputBuffer } from '../../../electron/adapters/shell/output-buffer';
import { isTempFileName, tempFileName } from '../../../electron/adapters/files/write-file';

describe('isSecretLooking', () => {
  it.each([
    'A_TOKEN',
    'A_KEY',
    'A_SECRET',
    'A_PASSWORD',
    'A_CREDENTIALS',
    'npm_config_auth_token',
    'TOKEN',
    'API_KEY',
    'PGPASSWORD',
    'MYSQL_PWD',
    'GITHUB_PAT',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'SENTRY_DSN',
    'my_secret',
  ])('S2-+05 holds %s back', (name) => expect(isSecretLooking(name, 'x')).toBe(true));
  it.each([
    'PATH',
    'HOME',
    'PWD',
    'LANG',
    'SSH_AUTH_SOCK',
    'XAUTHORITY',
    'KEYBOARD',
    'NODE_PATH',
    'DISPLAY',
    'COMPASS',
    'MONKEY',
    'GOPATH',
  ])('S2-+05 passes %s', (name) => expect(isSecretLooking(name, 'x')).toBe(false));
  it('S2-+05 holds a URL with a password back, whatever its name', () => {
    expect(isSecretLooking('HTTPS_PROXY', 'http://user:pw@proxy:3128')).toBe(true);
    expect(isSecretLooking('HTTPS_PROXY', 'http://proxy:3128')).toBe(false);
  });
});

describe('buildChildEnvironment', () => {
  it('S2-+05 takes the login shell as the base, the desktop session from ours, and lists what it withheld of both by name', () => {
    const { env, withheld } = buildChildEnvironment({
      login: { PATH: '/login/bin', EDITOR: 'vi', LOGIN_TOKEN: 's' },
      own: {
        PATH: '/own/bin',
        DISPLAY: ':0',
        APP_INTERNAL: '1',
        LC_ALL: 'C',
        OWN_KEY: 's',
        GIVEN_KEY: 'g',
      },
      declared: ['GIVEN_KEY', 'BASH_ENV'],
      markers: { HOLDFAST_TURN: '1' },
      secrets: undefined,
    });
    expect(env).toEqual({
      PATH: '/login/bin',
      EDITOR: 'vi',
      DISPLAY: ':0',
      LC_ALL: 'C',
      GIVEN_KEY: 'g',
      HOLDFAST_TURN: '1',
    });
    expect(withheld).toEqual(['LOGIN_TOKEN', 'OWN_KEY']);
  });

  it('a declared name cannot replace a marker', () => {
    const { env } = buildChildEnvironment({
      login: undefined,
      own: { HOLDFAST_TURN: '9' },
      declared: ['HOLDFAST_TURN'],
      markers: { HOLDFAST_TURN: '1' },
      secrets: undefined,
    });
    expect(env['HOLDFAST_TURN']).toBe('1');
  });
});

describe('createOutputBuffer', () => {
  it('keeps everything up to the cap and both ends above it, never half a character', () => {
    const small = createOutputBuffer(10);
    small.append(Buffer.from('0123456789'));
    expect(small.text()).toBe('0123456789');
    const large = createOutputBuffer(11);
    for (const byte of Buffer.from(`abcdeä${'-'.repeat(200_000)}öxyz!`))
      large.append(Uint8Array.of(byte));
    expect(large.text()).toBe('abcde\n[… 200002 of 200013 bytes are left out here …]\nxyz!');
  });
});

describe('tempFileName', () => {
  it('S4-14 gives every key one plain name of its own', () => {
    const keys = ['a', 'a/b', 'a_b', '../x', '', 'x'.repeat(500), '\0'];
    const names = keys.map(tempFileName);
    expect(new Set(names).size).toBe(keys.length);
    for (const name of names) expect(isTempFileName(name)).toBe(true);
    expect(tempFileName('a')).toBe('.holdfast-a.tmp');
  });
});

describe('isAllowedAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111'])('lets %s through', (address) =>
    expect(isAllowedAddress(address, { allowLoopback: false })).toBe(true),
  );
  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '172.31.255.255',
    '169.254.169.254',
    // Where machines in clouds ask for their own keys, by public and private addresses.
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:8.8.8.8',
    '::',
    'fd00::1',
    '2001:db8::1',
    'name',
  ])('stops %s', (address) =>
    expect(isAllowedAddress(address, { allowLoopback: false })).toBe(false),
  );
  it('loopback is a matter of its own: allowed, private networks stay closed', () => {
    expect(isAllowedAddress('127.9.9.9', { allowLoopback: true })).toBe(true);
    expect(isAllowedAddress('::1', { allowLoopback: true })).toBe(true);
    expect(isAllowedAddress('192.168.0.1', { allowLoopback: true })).toBe(false);
  });
});

describe('htmlToText', () => {
  it.each([
    ['a < b and c', 'a < b and c'],
    ['<p>one<p>two', 'one\ntwo'],
    ['<script>if (a < b) {}</script>x', 'x'],
    ['<SCRIPT>x</SCRIPT >y', 'y'],
    ['x<script>never closed', 'x'],
    ['x<!-- never closed', 'x'],
    ['x<b never closed', 'x'],
    ['&amp;lt; &#0; &#xD800; &nope;', '&lt; \ufffd \ufffd &nope;'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['\u0130<b>x</b><script>y</script>', '\u0130x'],
  ])('%j becomes %j', async (html, text) => expect(await htmlToText(html)).toBe(text));

  it('keeps words apart where its pieces end, and lines where entities make them', async () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `w${String(at)}`);
    expect(await htmlToText(words.join('  '))).toBe(words.join(' '));
    const letters = 'x'.repeat(100_000);
    expect(await htmlToText(`<p>${letters}</p> <b> </b> y&#10;&#32;&#32;z`)).toBe(
      `${letters}\ny\nz`,
    );
  });

  it('T6 lets the event loop go on while it reads 1 MB of text', async () => {
    let turns = 0;
    const turn = setInterval(() => (turns += 1), 1);
    for (const piece of ['if a; then ', '<p>', 'aB', '&#x41;'])
      await htmlToText(piece.repeat(Math.floor(1_000_000 / piece.length)));
    clearInterval(turn);
    expect(turns).toBeGreaterThan(8);
  });

  it('costs in proportion to the length: 1 MB of unclosed tags at most 10 times 250 kB', async () => {
    const costMs = async (piece: string, length: number): Promise<number> => {
      const startedMs = performance.now();
      await htmlToText(piece.repeat(Math.floor(length / piece.length)));
      return performance.now() - startedMs;
    };
    for (const piece of ['<', '<a ', '<!--', '<script>', '</p', '&#']) {
      const growth = async () =>
        (await costMs(piece, 1_000_000)) / Math.max(5, await costMs(piece, 250_000));
      // A busy machine makes one run longer, not all of them; what is quadratic grows by 16 each time.
      await expect.poll(growth, { message: piece }).toBeLessThan(10);
    }
  });
});
