import { readFile } from 'node:fs/promises'

/** What one stage of CI says: how its command ended and the vitest report it left, if it does. */
export interface StageEnd {
  name: string
  exitCode: number
  /** Path of vitest's JSON report, for stages that run tests. */
  report?: string
}

export interface Tally {
  passed: number
  failed: number
}

/** The part of vitest's JSON report that is counted. */
interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

/**
 * Adds up stages. A test file that could not be loaded is one failure, and so is a stage that ended
 * badly without a failed test to show for it: nothing that went wrong may count as zero failures.
 */
export async function tally(stages: readonly StageEnd[]): Promise<Tally> {
  const total = { passed: 0, failed: 0 }
  for (const stage of stages) {
    const counted = stage.report ? await countReport(stage.report) : { passed: 0, failed: 0 }
    total.passed += counted.passed
    total.failed += counted.failed
    const unexplained = stage.exitCode !== 0 && counted.failed === 0
    const silent = stage.report !== undefined && counted.passed + counted.failed === 0
    if (unexplained || silent) total.failed += 1
  }
  return total
}

async function countReport(path: string): Promise<Tally> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return { passed: 0, failed: 0 }
  const report = JSON.parse(text) as VitestReport
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
  }
}
