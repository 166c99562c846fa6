// A reporter of vitest: how many errors came outside of any test, which the report in JSON leaves out.
import { writeFileSync } from 'node:fs';

export default class StrayErrors {
  /** @param {unknown} _files @param {readonly unknown[]} errors */
  onTestRunEnd(_files, errors) {
    const file = process.env['HOLDFAST_TEST_STRAY_ERRORS'];
    if (file !== undefined) writeFileSync(file, String(errors.length));
  }
}
