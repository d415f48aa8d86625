import { readFile } from 'node:fs/promises'

/** A CI stage's result: its command's exit code, and the vitest reports that it wrote. */
export interface StageEnd {
  name: string
  exitCode: number
  /** Path of vitest's JSON report, for stages that run tests. */
  report?: string
  /** Path of the report of the failed files alone, which ran a second time. */
  secondReport?: string
}

/** A test that failed, or a file that failed outside of its tests. */
export interface Failure {
  file: string
  test: string
  message: string
}

export interface Tally {
  passed: number
  failed: number
  failures: Failure[]
  /** Tests that failed, and passed when their file ran a second time, alone. */
  unsteady: Failure[]
}

/** The members that are read from a vitest report. */
export interface TestReport {
  /** Names of the tests that passed, each with its file. */
  passed: { file: string; test: string }[]
  failures: Failure[]
}

/** The part of vitest's JSON report that is read. */
interface VitestReport {
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[]
  }[]
}

const outsideOfTests = '(outside of its tests)'

/** Whether the tests of a file draw their inputs or faults from a seed, which each run chooses. */
export async function hasRandomInputs(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8')).includes('seedOfRun()')
}

/**
 * Adds up stages. A test file that could not be loaded counts as one failure, and so does a stage
 * that ended with an error but without a failed test, so that no error counts as zero failures.
 */
export async function tally(stages: readonly StageEnd[]): Promise<Tally> {
  const total: Tally = { passed: 0, failed: 0, failures: [], unsteady: [] }
  for (const stage of stages) {
    const first = await readReport(stage.report)
    const second = await readReport(stage.secondReport)
    const unsteady = first.failures.filter((failure) => passedIn(second, failure))
    const failures = [
      ...first.failures.filter((failure) => !unsteady.includes(failure)),
      ...second.failures.filter((failure) => !contains(first.failures, failure)),
    ]
    if (first.failures.length === 0 && stage.exitCode !== 0) failures.push(endedBadly(stage))
    else if (stage.report !== undefined && first.passed.length + first.failures.length === 0)
      failures.push(endedBadly(stage))
    total.passed += first.passed.length + unsteady.length
    total.failed += failures.length
    total.failures.push(...failures)
    total.unsteady.push(...unsteady)
  }
  return total
}

/** Reads a report; an absent one has no results. */
export async function readReport(path: string | undefined): Promise<TestReport> {
  const text = path && (await readFile(path, 'utf8').catch(() => undefined))
  if (!text) return { passed: [], failures: [] }
  const report: TestReport = { passed: [], failures: [] }
  for (const { name: file, status, message, assertionResults } of (JSON.parse(text) as VitestReport)
    .testResults) {
    const failed = assertionResults.filter((result) => result.status === 'failed')
    for (const { fullName, failureMessages } of failed)
      report.failures.push({ file, test: fullName, message: (failureMessages ?? []).join('\n') })
    if (status === 'failed' && failed.length === 0)
      report.failures.push({ file, test: outsideOfTests, message: message ?? '' })
    for (const result of assertionResults)
      if (result.status === 'passed') report.passed.push({ file, test: result.fullName })
  }
  return report
}

function passedIn(report: TestReport, { file, test }: Failure): boolean {
  if (contains(report.failures, { file, test })) return false
  if (test === outsideOfTests) return report.passed.some((passed) => passed.file === file)
  return contains(report.passed, { file, test })
}

function contains(
  list: readonly { file: string; test: string }[],
  entry: { file: string; test: string },
): boolean {
  return list.some(({ file, test }) => file === entry.file && test === entry.test)
}

function endedBadly({ name, exitCode }: StageEnd): Failure {
  const message =
    exitCode === 0 ? 'It ran no test, or left no report.' : `It ended with exit code ${exitCode}.`
  return { file: `npm run ${name}`, test: outsideOfTests, message }
}
