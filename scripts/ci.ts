import { mkdir, rm } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import {
  hasRandomInputs,
  readReport,
  tally,
  type Failure,
  type StageEnd,
} from './testing/ci-tally.ts'

/**
 * The stages after `npm ci`: npm scripts with their time limits. `verify` leaves the unit tests to
 * `test`, so that they run once.
 */
const stages = [
  { name: 'verify', minutes: 8, tests: false },
  { name: 'test', minutes: 25, tests: true },
  { name: 'test:slow', minutes: 60, tests: true },
]

/**
 * CI takes an hour on two quiet cores. A stage that is cut off counts as failed, so there is time
 * for a machine that is slower by a third. The last stage gets the remaining time.
 */
const endsAt = performance.now() + 80 * 60_000

const reports = join(import.meta.dirname, '..', 'test-results')
await rm(reports, { recursive: true, force: true })
await mkdir(reports, { recursive: true })

/** The largest number of failed tests that run again: more than these do not fail by chance. */
const maxAgain = 3

const ends: StageEnd[] = []
for (const stage of stages) {
  console.log(`\n== npm run ${stage.name}`)
  const report = join(reports, `${stage.name.replace(':', '-')}.json`)
  const exitCode = runStage(stage, stage.tests ? reportTo(report) : ['--checks'])
  if (exitCode !== 0) console.log(`== ${stage.name} ended with ${exitCode}`)
  const end: StageEnd = { name: stage.name, exitCode, ...(stage.tests ? { report } : {}) }
  if (stage.tests) Object.assign(end, await runFailedAgain(stage, report))
  ends.push(end)
}

const { passed, failed, failures, unsteady } = await tally(ends)
for (const failure of unsteady) print('unsteady (failed, then passed alone)', failure)
for (const failure of failures) print('failed', failure)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function runStage(stage: (typeof stages)[number], args: readonly string[]): number {
  const leftMinutes = Math.max(1, Math.floor((endsAt - performance.now()) / 60_000))
  const minutes = Math.min(stage.minutes, leftMinutes)
  const command = ['--kill-after=60', `${minutes}m`, 'npm', 'run', stage.name, '--', ...args]
  return spawnSync('timeout', command, { stdio: 'inherit' }).status ?? 1
}

function reportTo(path: string): string[] {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`]
}

/**
 * Runs the files of a few failed tests once more, alone. A test that then passes depends on what
 * runs beside it: it is reported as unsteady with its first message, and the run does not fail.
 * If the inputs of one of them are random, none runs again: it may have failed for its inputs.
 */
async function runFailedAgain(
  stage: (typeof stages)[number],
  report: string,
): Promise<Pick<StageEnd, 'secondReport'>> {
  const { failures } = await readReport(report)
  if (failures.length === 0 || failures.length > maxAgain) return {}
  const files = [...new Set(failures.map(({ file }) => relative(process.cwd(), file)))]
  if ((await Promise.all(files.map(hasRandomInputs))).includes(true)) return {}
  console.log(`\n== once more, alone: ${files.join(', ')}`)
  const secondReport = report.replace('.json', '-again.json')
  runStage(stage, [...files, ...reportTo(secondReport)])
  return { secondReport }
}

/** One failure in a few lines: CI services often keep only the end of the output. */
function print(how: string, { file, test, message }: Failure): void {
  const lines = message.split('\n').slice(0, 12)
  console.log(`\n${how}: ${relative(process.cwd(), file)} > ${test}`)
  for (const line of lines) console.log(`  ${line.slice(0, 300)}`)
}
