import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as secondTries from '../../../build/setup/second-try.mjs';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as tallies from '../../../build/setup/tally.mjs';

interface FileResult {
  name: string;
  status: string;
  assertionResults: { fullName: string; status: string }[];
}
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: FileResult[];
}
const { filesToTryAgain, withSecondTry } = secondTries as {
  filesToTryAgain: (
    report: Report | undefined,
    run: { exitCode: number; strayErrors: number; failedSteps: number },
    root: string,
  ) => string[];
  withSecondTry: (
    first: Report,
    second: Report | undefined,
    files: readonly string[],
    root: string,
  ) => { report: Report; onlyAlone: string[] };
};
const { tally } = tallies as {
  tally: (report: object, exitCode: number, steps: number) => { line: string; ok: boolean };
};

const ROOT = '/project/';
const LETTERS = { p: 'passed', f: 'failed', s: 'skipped' } as const;

/** `pf`: a file with a test that passed and one that failed; `!`: it failed outside of its tests. */
const file = (name: string, marks: string): FileResult => {
  const results = marks
    .replace('!', '')
    .split('')
    .map((mark, at) => ({
      fullName: `test ${String(at + 1)}`,
      status: LETTERS[mark as keyof typeof LETTERS],
    }));
  const status = /[!f]/.test(marks) ? 'failed' : 'passed';
  return { name: `${ROOT}${name}`, status, assertionResults: results };
};
const report = (files: Record<string, string>): Report => {
  const testResults = Object.entries(files).map(([name, marks]) => file(name, marks));
  const of = (status: string): number =>
    testResults.flatMap((one) => one.assertionResults).filter((test) => test.status === status)
      .length;
  return {
    numPassedTests: of('passed'),
    numFailedTests: of('failed'),
    numPendingTests: of('skipped'),
    numTodoTests: 0,
    testResults,
  };
};

const A = 'test/integration/a.test.ts';
const B = 'test/component/b.test.tsx';
const C = 'test/e2e/c.test.ts';
const RED = { exitCode: 1, strayErrors: 0, failedSteps: 0 };

describe('set-up: which red files are run once more', () => {
  it.each<[string, Record<string, string>, string[]]>([
    ['none of a green run', { [A]: 'pp', [B]: 'ps' }, []],
    ['the red one', { [A]: 'pf', [B]: 'pp' }, [A]],
    ['up to 3', { [A]: 'f', [B]: 'f', [C]: 'pf' }, [A, B, C]],
    ['none of 4', { [A]: 'f', [B]: 'f', [C]: 'f', 'test/e2e/d.test.ts': 'f' }, []],
    ['one whose hook failed before its tests', { [A]: '!ss' }, [A]],
    ['one that could not be loaded', { [A]: '!' }, [A]],
    ...['crash', 'unit', 'security', 'contract'].map(
      (name): [string, Record<string, string>, string[]] => [
        `none where ${name} is red too`,
        { [A]: 'f', [`test/${name}/x.test.ts`]: 'f' },
        [],
      ],
    ),
    ['none outside of the folder of a suite', { 'test/e2e-like/x.test.ts': 'f' }, []],
  ])('set-up tries again %s', (_what, files, expected) => {
    expect(filesToTryAgain(report(files), RED, ROOT)).toEqual(expected);
  });

  it.each<[string, Partial<typeof RED>]>([
    ['types or lint failed', { failedSteps: 1 }],
    ['an error came outside of any test', { strayErrors: 1 }],
    ['vitest was killed', { exitCode: 137 }],
    ['vitest says that all is well', { exitCode: 0 }],
  ])('set-up tries nothing again where %s', (_what, run) => {
    expect(filesToTryAgain(report({ [A]: 'f' }), { ...RED, ...run }, ROOT)).toEqual([]);
  });
  it('set-up tries nothing again where vitest left no report', () => {
    expect(filesToTryAgain(undefined, RED, ROOT)).toEqual([]);
  });
});

describe('set-up: what both runs say together', () => {
  const first = report({ [A]: 'pfs', [B]: 'pp' });

  it.each<[string, string | undefined, string, readonly string[]]>([
    ['passes alone: counted as passed and named', 'pps', '4 passed, 0 failed', [`${A} > test 2`]],
    ['fails again', 'pfs', '3 passed, 1 failed', []],
    ['passes, but another of its file fails', 'fps', '3 passed, 1 failed', [`${A} > test 2`]],
    ['is left out by the second run', 'pss', '3 passed, 1 failed', []],
    ['is not in the second run', 'p', '3 passed, 1 failed', []],
    ['has a second run without its file', undefined, '3 passed, 1 failed', []],
  ])('set-up, a red test that %s', (_what, marks, line, onlyAlone) => {
    const second = report(marks === undefined ? {} : { [A]: marks });
    const both = withSecondTry(first, second, [A], ROOT);
    expect(both.onlyAlone).toEqual(onlyAlone);
    const isRed = !line.endsWith('0 failed');
    expect(tally(both.report, isRed ? 1 : 0, 0)).toMatchObject({ line, ok: !isRed });
    // Even where the second vitest ended well.
    expect(tally(both.report, 0, 0).ok).toBe(!isRed);
    expect(both.report.numPendingTests).toBe(1);
  });

  it('set-up stays red where the second vitest left no report', () => {
    const both = withSecondTry(first, undefined, [A], ROOT);
    expect(both.onlyAlone).toEqual([]);
    expect(tally(both.report, 1, 0)).toMatchObject({ line: '3 passed, 1 failed', ok: false });
  });
  it('set-up stays red where all tests passed alone and vitest failed outside of them', () => {
    const both = withSecondTry(first, report({ [A]: 'pps' }), [A], ROOT);
    expect(tally(both.report, 1, 0)).toMatchObject({ line: '4 passed, 1 failed', ok: false });
  });
  it('set-up names a file whose hook failed beside others and not alone', () => {
    const both = withSecondTry(report({ [A]: '!s' }), report({ [A]: 'p' }), [A], ROOT);
    expect(both.onlyAlone).toEqual([A]);
    expect(tally(both.report, 0, 0)).toMatchObject({ line: '1 passed, 0 failed', ok: true });
  });
  it('set-up, a file whose hook fails again stays red', () => {
    const both = withSecondTry(report({ [A]: '!s' }), report({ [A]: '!s' }), [A], ROOT);
    expect(both.onlyAlone).toEqual([]);
    expect(tally(both.report, 1, 0)).toMatchObject({ line: '0 passed, 1 failed', ok: false });
  });
  it('set-up takes nothing from the second run but the files that were asked', () => {
    const second = report({ [A]: 'pps', [B]: 'ff' });
    expect(withSecondTry(first, second, [A], ROOT).report.numPassedTests).toBe(4);
  });
});
