import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askFar,
  judgeAnswer,
  problemOf,
  readEntries,
  runFar,
  splitHost,
} from '../../../electron/cli/far-host';
import { createFarText } from '../../../electron/cli/far-text';
import { parseAddress, sshArguments } from '../../../shared/ssh-address';
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
    ...[
      ['--json', 'channels', 'add', 'post', '--host', 'smtp.example'],
      ['channel', '--json', 'edit', 'post', '--host=smtp.example'],
      ['--data-dir', '/d', 'channels', 'set', 'post', '--host', 'smtp.example'],
    ].map((argv): [readonly string[], ReturnType<typeof splitHost>] => [argv, { rest: argv }]),
    [
      ['--json', 'channels', 'list', '--host=box'],
      { host: 'box', rest: ['--json', 'channels', 'list'] },
    ],
    [['status', '--host'], { host: '', rest: ['status'] }],
  ])('HO-01 in %j', (argv, expected) => {
    expect(splitHost(argv)).toEqual(expected);
  });
});

describe('what the end of ssh says of a host', () => {
  const ended = (code: number | null, told = '', complaint = '') => ({ code, told, complaint });
  it.each([
    ['an answer', ended(0, '{"a":1}'), { kind: 'answer', value: { a: 1 } }],
    ['an error of Holdfast', ended(3, '{"error":{}}'), { kind: 'answer', value: { error: {} } }],
    [
      'no answer',
      ended(1),
      { kind: 'strange', problem: 'box sent no response, and ended with 1.' },
    ],
    [
      'a greeting of a shell',
      ended(0, 'welcome'),
      {
        kind: 'strange',
        problem: 'box sent an unexpected response, and ended with 0.',
      },
    ],
    [
      'more than is read',
      ended(null, 'x'.repeat(16_000_001)),
      { kind: 'strange', problem: 'box sent more than 16 MB. None of it is shown.' },
    ],
    ['silence', ended(null), { kind: 'unreachable', problem: 'box did not answer within 20 s.' }],
    [
      'no program',
      ended(127),
      { kind: 'unreachable', problem: 'box has no Holdfast on its PATH.' },
    ],
    [
      'another key',
      ended(255, '', 'warning\nHost key \u001b[2Jverification failed.\r\n'),
      {
        kind: 'unreachable',
        problem: expect.stringMatching(/^box could not be reached: Host key .*verification failed/),
      },
    ],
    ['no ssh', new Error('ENOENT'), { kind: 'unreachable', problem: expect.any(String) }],
  ] as const)('HO-02 %s', (_, how, expected) => {
    const told = judgeAnswer('box', how, 20_000);
    expect(told).toEqual(expected);
    expect(JSON.stringify(told)).not.toContain('\\u001b');
  });

  const entry = z.object({ id: z.number() });
  it.each([
    ['all of it', { a: [{ id: 1 }, { id: 2, more: true }] }, [1, 2], undefined],
    ['one of another shape', { a: [{ id: 'x' }, { id: 2 }] }, [2], /^1 of 2 entries are not shown/],
    [
      'more than are shown',
      { a: Array.from({ length: 2_500 }, (_, id) => ({ id })) },
      Array.from({ length: 2_000 }, (_, id) => id),
      /^500 of 2500 entries are not shown/,
    ],
  ] as const)('HO-02 reads of a list %s', (_, answer, ids, problem) => {
    const read = readEntries('box', answer, { list: 'a', entry });
    expect(read?.entries.map(({ id }) => id)).toEqual(ids);
    if (problem === undefined) expect(read?.problem).toBeUndefined();
    else expect(read?.problem).toMatch(problem);
  });

  it('HO-02 a list by another name is none, and its error or another version is said', () => {
    expect(readEntries('box', { b: [] }, { list: 'a', entry })).toBeUndefined();
    expect(problemOf('box', { error: { message: 'It is\u202e not running.' } })).not.toContain(
      '\u202e',
    );
    expect(problemOf('box', {})).toContain('not compatible');
  });

  it('HO-02 characters that come in two pieces stay whole, and a host that hangs is given up', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'hf-ssh-'));
    const ask = (script: string, timeoutMs: number) => {
      writeFileSync(path.join(dir, 'ssh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}` };
      return askFar(env, 'box', { destination: 'box' }, ['status'], timeoutMs);
    };
    try {
      const split = String.raw`printf '"gr\303'; sleep 0.2; printf '\274n"'`;
      expect(await ask(split, 10_000)).toEqual({ kind: 'answer', value: 'grün' });
      const deaf = await ask("trap '' TERM; exec sleep 30", 300);
      expect(deaf).toEqual({ kind: 'unreachable', problem: 'box did not answer within 0 s.' });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

describe('what a far command writes to this terminal', () => {
  const ESC = '\u001b';
  const through = (isJson: boolean, ...chunks: readonly (string | Buffer)[]): string => {
    const text = createFarText(isJson);
    return chunks.map((chunk) => text.push(Buffer.from(chunk))).join('') + text.end();
  };

  it.each([
    ['a title of the window', `${ESC}]0;evil\u0007`, '\\x1b]0;evil\\x07'],
    ['a clipboard', `${ESC}]52;c;ZXZpbA==${ESC}\\`, '\\x1b]52;c;ZXZpbA==\\x1b\\'],
    ['the screen erased', `${ESC}[2J${ESC}[H`, '\\x1b[2J\\x1b[H'],
    ['hidden text', `${ESC}[8mevil`, '\\x1b[8mevil'],
    ['a line written over', 'evil\rgood\r\n', 'evil\\x0dgood\r\n'],
    ['an escape of one byte', '\u009b2J', '\\x9b2J'],
    ['text from right to left', '\u202eevil', '\\u202eevil'],
    [
      'colors, tabs and lines',
      `${ESC}[32mok${ESC}[0m\ta\r\nb\n`,
      `${ESC}[32mok${ESC}[0m\ta\r\nb\n`,
    ],
    ['a color that is left on', `${ESC}[31mred`, `${ESC}[31mred${ESC}[0m`],
    ['a character that is taken back', 'yex\b \bs', 'yex\b \bs'],
  ])('HO-01 T4 %s', (_what, said, shown) => {
    expect(through(false, said)).toBe(shown);
    // However it is cut into chunks, also inside a character.
    const bytes = Buffer.from(said);
    expect(through(false, ...Array.from(bytes, (byte) => Buffer.from([byte])))).toBe(shown);
  });

  it('HO-01 T4 JSON is the same value, and no byte of it is obeyed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const said = JSON.stringify({ value, text: `${text}\u009b\u202e` });
        const shown = through(true, `${said}\r\n`);
        expect(JSON.parse(shown)).toEqual(JSON.parse(said));
        expect(shown).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/);
      }),
    );
    expect(through(true, `{"a":1}${ESC}[31m`)).not.toContain(ESC);
  });

  it.skipIf(process.platform === 'win32')(
    'HO-01 T4 goes through that on a terminal, and unchanged into a pipe; the exit code is the far one',
    async () => {
      const dir = mkdtempSync(path.join(tmpdir(), 'holdfast-far-'));
      const program = "printf 'a\\033]0;evil\\007\\n'; printf 'b\\033[2J' >&2; exit 4";
      writeFileSync(path.join(dir, 'ssh'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
      const said: string[] = [];
      const to = { write: (text: string) => void said.push(text), isTTY: true, columns: 80 };
      const stdin = process.stdin;
      const target = { host: 'box', address: { destination: 'box' }, isJson: false };
      const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}` };
      expect(await runFar({ stdin, stdout: to, stderr: to }, env, target, [])).toBe(4);
      expect(said.filter(Boolean).toSorted()).toEqual(['a\\x1b]0;evil\\x07\n', 'b\\x1b[2J']);
      rmSync(dir, { recursive: true });
    },
  );
});
