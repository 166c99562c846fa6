// A test that waits for real processes can lose a race for the processor on a busy machine. Its file
// is run once more when all else is done, alone: what holds passes then, what is broken fails again.
// Which files get that, and what both runs say together.
import { relative, sep } from 'node:path';

/** @typedef {import('./tally.mjs').Report} Report */
/** @typedef {Report['testResults'][number]} FileResult */

/**
 * Suites that run many real parts in parallel. Not the others: a failure in crash, security, unit
 * or contract is a broken promise, and a second run could hide it.
 */
const PROJECTS = ['integration', 'component', 'e2e'];

/** More red files than these are no accident of the machine. */
const MAX_FILES = 3;

/** @param {string} path @param {string} root */
const inside = (path, root) => relative(root, path).split(sep).join('/');

/** @param {Report} report @param {string} root @returns {Map<string, FileResult>} by path in the project */
const byFile = (report, root) =>
  new Map(report.testResults.map((file) => [inside(file.name, root), file]));

/**
 * Paths in the project of the files to run once more; none where the run is red whatever they say.
 *
 * @param {Report | undefined} report undefined if vitest left none
 * @param {{exitCode: number, strayErrors: number, failedSteps: number}} run `exitCode` of vitest,
 *   `strayErrors` outside of any test, `failedSteps` of types and lint
 * @param {string} root of the project
 * @returns {string[]}
 */
export const filesToTryAgain = (report, { exitCode, strayErrors, failedSteps }, root) => {
  // 1 is how vitest ends with a red test; anything else is a vitest that died.
  if (report === undefined || exitCode !== 1 || strayErrors > 0 || failedSteps > 0) return [];
  const red = [...byFile(report, root)].flatMap(([file, { status }]) =>
    status === 'failed' ? [file] : [],
  );
  const all = red.every((file) => PROJECTS.some((name) => file.startsWith(`test/${name}/`)));
  return all && red.length <= MAX_FILES ? red : [];
};

/** @param {FileResult} first @param {FileResult | undefined} second @returns {FileResult} */
const merged = (first, second) => {
  const [before, after] = [first, second].map((file) =>
    (file?.assertionResults ?? []).map(({ fullName }) => fullName).join('\n'),
  );
  // A file that has other tests now has not been run once more.
  if (second === undefined || before !== after) return first;
  return {
    ...second,
    assertionResults: second.assertionResults.map((test, at) => {
      const wasRed = first.assertionResults[at]?.status === 'failed';
      // Left out is not passed.
      return wasRed && test.status !== 'passed' ? { ...test, status: 'failed' } : test;
    }),
  };
};

/** @param {Report} report @param {(status: string) => boolean} is */
const count = ({ testResults }, is) =>
  testResults.flatMap((file) => file.assertionResults).filter(({ status }) => is(status)).length;

/**
 * The report of the first run with the results of the second for `files`.
 *
 * @param {Report} first
 * @param {Report | undefined} second undefined if vitest left none
 * @param {readonly string[]} files paths in the project
 * @param {string} root of the project
 * @returns {{report: Report, onlyAlone: string[]}} `onlyAlone`: `<file> > <test>` for each test
 * that
 *   failed next to others and passed alone, `<file>` for one that could not be started
 */
export const withSecondTry = (first, second, files, root) => {
  const again = byFile(second ?? { ...first, testResults: [] }, root);
  /** @type {string[]} */
  const onlyAlone = [];
  const testResults = first.testResults.map((before) => {
    const file = inside(before.name, root);
    if (!files.includes(file)) return before;
    const after = merged(before, again.get(file));
    const names = before.assertionResults.flatMap((test, at) =>
      test.status === 'failed' && after.assertionResults[at]?.status === 'passed'
        ? [`${file} > ${test.fullName}`]
        : [],
    );
    const wasBegun = before.assertionResults.some(({ status }) => status === 'failed');
    if (!wasBegun && after.status === 'passed') names.push(file);
    onlyAlone.push(...names);
    return after;
  });
  const report = { ...first, testResults };
  report.numPassedTests = count(report, (status) => status === 'passed');
  report.numFailedTests = count(report, (status) => status === 'failed');
  report.numTodoTests = count(report, (status) => status === 'todo');
  report.numPendingTests = count(report, (status) => ['skipped', 'pending'].includes(status));
  return { report, onlyAlone };
};
