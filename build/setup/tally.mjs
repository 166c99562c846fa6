// One honest line out of vitest's report: a file that could not be loaded and an error outside
// any test are failures too, although no test carries them.

/**
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{name: string, status: string, assertionResults: {status: string, fullName: string}[]}[]} testResults
 */

/**
 * @param {Report | undefined} report undefined if vitest left none
 * @param {number} exitCode of vitest
 * @param {number} failedSteps types, lint or build
 * @returns {{passed: number, failed: number, skipped: number, ok: boolean, line: string}}
 */
export const tally = (report, exitCode, failedSteps) => {
  const passed = report?.numPassedTests ?? 0;
  const unloadable = (report?.testResults ?? []).filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const inTests = (report?.numFailedTests ?? 0) + unloadable;
  const elsewhere = exitCode !== 0 && inTests === 0 ? 1 : 0;
  const failed = inTests + elsewhere + failedSteps;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  return {
    passed,
    failed,
    skipped,
    ok: failed === 0 && exitCode === 0,
    line: `${passed} passed, ${failed} failed`,
  };
};

/**
 * One line for each file of which tests were left out, with how many: what is not tested here is no pass.
 *
 * @param {Report | undefined} report
 * @returns {string[]}
 */
export const skippedLines = (report) =>
  (report?.testResults ?? []).flatMap(({ name, assertionResults }) => {
    const left = assertionResults.filter(({ status }) => status === 'skipped').length;
    const tests = left === 1 ? 'test' : 'tests';
    return left === 0 ? [] : [`skipped: ${name.replace(/^.*\/(?=test\/)/, '')}, ${left} ${tests}`];
  });
