import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseAddress,
  splitHost,
  sshArguments,
  sshEnvironment,
} from '../../../electron/cli/far-host';
import { addressOf } from '../../../electron/cli/verbs/hosts';

describe('an address of a host', () => {
  it.each<[string, ReturnType<typeof parseAddress>]>([
    ['ssh://me@box', { destination: 'me@box' }],
    ['ssh://box.example:2222/', { destination: 'box.example', port: 2222 }],
    ['ssh://me@[::1]:22', { destination: 'me@::1', port: 22 }],
    ['box', undefined],
    ['ssh://', undefined],
    ['ssh://-oProxyCommand=evil', undefined],
    ['ssh://-x@box', undefined],
    ['ssh://me@box/path', undefined],
    ['ssh://me:word@box', undefined],
    ['ssh://box:0', undefined],
    ['ssh://box:70000', undefined],
    ['ssh://box\nHost', undefined],
    ['https://box', undefined],
  ])('HO-01 %j', (text, expected) => {
    expect(parseAddress(text)).toEqual(expected);
  });

  it('HO-01 a host is named, or written as an address; a name of every object is none', () => {
    const known = { box: 'ssh://me@box:23' };
    expect(addressOf(known, 'box')).toEqual({ destination: 'me@box', port: 23 });
    expect(addressOf(known, 'ssh://other')).toEqual({ destination: 'other' });
    for (const name of ['other', 'constructor', ''])
      expect(() => addressOf(known, name)).toThrow('There is no host');
  });
});

describe('what ssh is called with', () => {
  const address = { destination: 'me@box', port: 2222 };

  it('HO-03 forwards nothing, asks nobody who is not there, and ends its options before the host', () => {
    const args = sshArguments(address, ['status'], { isTerminal: false });
    expect(args.slice(0, 3)).toEqual(['-T', '-o', 'BatchMode=yes']);
    for (const option of ['ClearAllForwardings=yes', 'ForwardAgent=no', 'ForwardX11=no'])
      expect(args).toContain(option);
    expect(args.slice(-5, -1)).toEqual(['-p', '2222', '--', 'me@box']);
    expect(sshArguments(address, [], { isTerminal: true })).not.toContain('BatchMode=yes');
  });

  it('HO-01 a far shell reads each argument as it was written, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        (words) => {
          const line = sshArguments(address, words, { isTerminal: false }).at(-1) ?? '';
          const printed = line.replace('exec holdfast', "printf '%s\\0'");
          const told = execFileSync('sh', ['-c', printed], { encoding: 'utf8' });
          expect(told).toBe(words.map((one) => `${Buffer.from(one).toString()}\0`).join(''));
        },
      ),
      { numRuns: 8 },
    );
  });

  it('HO-03 keys and the settings of this Holdfast stay here; what ssh needs goes with it', () => {
    expect(
      sshEnvironment({
        ANTHROPIC_API_KEY: 'k',
        HOLDFAST_HOME: '/d',
        SSH_AUTH_SOCK: '/s',
        PATH: '/bin',
        HOME: '/h',
      }),
    ).toEqual({ SSH_AUTH_SOCK: '/s', PATH: '/bin', HOME: '/h' });
  });
});

describe('--host', () => {
  it.each<[readonly string[], ReturnType<typeof splitHost>]>([
    [['status', '--host', 'box', '--json'], { host: 'box', rest: ['status', '--json'] }],
    [['--host=box', 'status'], { host: 'box', rest: ['status'] }],
    [['send', '--', '--host', 'box'], { rest: ['send', '--', '--host', 'box'] }],
    [['status'], { rest: ['status'] }],
    [
      ['channels', 'add', 'post', '--host', 'smtp.example'],
      { rest: ['channels', 'add', 'post', '--host', 'smtp.example'] },
    ],
    [['status', '--host'], { host: '', rest: ['status'] }],
  ])('HO-01 in %j', (argv, expected) => {
    expect(splitHost(argv)).toEqual(expected);
  });
});
