// Jest's closing lines are not among those that CI reads: this prints `N passed, N failed`, or leaves the counts to scripts/test.mjs,
// which has to take the servers down before it prints its last line.
import { writeFileSync } from 'node:fs';

/** @typedef {{ numPassedTests: number, numFailedTests: number, testResults: { testExecError?: unknown, numFailingTests: number }[] }} Results */

export default class CountReporter {
  /** @param {unknown} _contexts @param {Results} results what jest counted */
  onRunComplete(_contexts, results) {
    // A file that could not be run has no tests to fail.
    const failed = results.numFailedTests + results.testResults.filter((file) => file.testExecError && file.numFailingTests === 0).length;
    const counts = { passed: results.numPassedTests, failed };
    if (process.env.TEST_COUNTS_FILE) writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
    else process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  }
}
