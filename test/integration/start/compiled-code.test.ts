/**
 * What the build compiled ahead for starts on plain Node. V8 remembers scripts within a process, so
 * every look is a process of its own.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiledPath, sealed } from '../../../electron/compiled-code';

const built = fileURLToPath(new URL('../../../dist/node', import.meta.url));
const HALF = `const main = require('./main.cjs'); exports.half = (n) => n / 2; exports.main = main;`;
const MAIN = `
const { half } = require('./half.cjs');
const { join } = require('node:path');
exports.answer = () => join('a', String(half(84)), __filename.endsWith('main.cjs') ? 'here' : '?');
`;

/** Runs `code` in a new process, where `c` is the built loader; what it writes. */
function inNode(code: string): string {
  const loader = JSON.stringify(path.join(built, 'compiled-code.cjs'));
  return execFileSync(process.execPath, ['-e', `const c = require(${loader}); ${code}`], {
    encoding: 'utf8',
  });
}

let dir: string;
let main: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hf-code-'));
  main = path.join(dir, 'main.cjs');
  writeFileSync(main, MAIN);
  writeFileSync(path.join(dir, 'half.cjs'), HALF);
  inNode(
    `const scripts = [];
     c.runProgram(${JSON.stringify(main)}, (...one) => scripts.push(one)).answer();
     for (const [file, script] of scripts)
       require('fs').writeFileSync(c.compiledPath(file), c.sealed(script.createCachedData()));`,
  );
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** What became of the compiled code of `main`, and what the program answers. */
const outcome = (): string =>
  inNode(
    `const rejected = c.scriptOf(${JSON.stringify(main)}).cachedDataRejected;
     console.log(rejected, c.runProgram(${JSON.stringify(main)}).answer());`,
  ).trim();

describe('W4 code compiled ahead', () => {
  it('W4 is taken where it fits, and the program is the same', () => {
    expect(outcome()).toBe(`false ${path.join('a', '42', 'here')}`);
  });

  it.each<[string, string, () => void]>([
    ['is missing', 'undefined', () => rmSync(compiledPath(main))],
    ['is empty', 'undefined', () => writeFileSync(compiledPath(main), '')],
    ['has one other bit', 'undefined', () => change((code) => (code[code.length - 9]! ^= 1))],
    ['is cut short', 'undefined', () => change((code) => code.subarray(0, -8))],
    [
      'is none of this V8',
      'true',
      () => writeFileSync(compiledPath(main), sealed(Buffer.alloc(99))),
    ],
  ])('W4 is left alone where it %s: the file is compiled as always', (_name, rejected, spoil) => {
    spoil();
    expect(outcome()).toBe(`${rejected} ${path.join('a', '42', 'here')}`);
  });

  it('W4 a part that is gone is named as changed program files, and is whole again once it is back', () => {
    const half = path.join(dir, 'half.cjs');
    writeFileSync(main, `exports.answer = () => require('./half.cjs').half(84);`);
    const told = inNode(
      `const fs = require('fs');
       const half = ${JSON.stringify(half)};
       const { answer } = c.runProgram(${JSON.stringify(main)});
       fs.renameSync(half, half + '.away');
       for (const _try of [1, 2])
         try { answer(); } catch ({ code, message }) { console.log(code, message); }
       fs.renameSync(half + '.away', half);
       console.log(answer());`,
    );
    const gone = `PROGRAM_CHANGED Holdfast's program files changed while it was running: ${half} is gone.`;
    expect(told.trim().split('\n')).toEqual([gone, gone, '42']);
  });

  it('W4 stands beside every part of the built program', () => {
    const chunks = path.join(built, 'chunks');
    const names = readdirSync(chunks).filter((name) => name.endsWith('.cjs'));
    const taken = inNode(
      `for (const name of ${JSON.stringify(names)})
         if (c.scriptOf(require('path').join(${JSON.stringify(chunks)}, name)).cachedDataRejected === false)
           console.log(name);`,
    );
    expect(taken.trim().split('\n').toSorted()).toEqual(names.toSorted());
  });
});

function change(by: (code: Buffer) => Buffer | number): void {
  const code = readFileSync(compiledPath(main));
  const changed = by(code);
  writeFileSync(compiledPath(main), typeof changed === 'number' ? code : changed);
}
