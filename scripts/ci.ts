import { mkdir, rm } from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { tally, type StageEnd } from './ci-tally.ts'

/** The stages after `npm ci`, each an npm script, with the most it may take. */
const stages = [
  { name: 'verify', minutes: 8, tests: false },
  { name: 'test', minutes: 30, tests: true },
  { name: 'test:slow', minutes: 40, tests: true },
]

/**
 * With `npm ci`, CI ends within an hour: the last stage gets what is left, and the tally is always
 * printed.
 */
const endsAt = performance.now() + 56 * 60_000

const reports = join(import.meta.dirname, '..', 'test-results')
await rm(reports, { recursive: true, force: true })
await mkdir(reports, { recursive: true })

const ends: StageEnd[] = []
for (const stage of stages) {
  const report = join(reports, `${stage.name.replace(':', '-')}.json`)
  const reporters = ['--', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  console.log(`\n== npm run ${stage.name}`)
  const leftMinutes = Math.max(1, Math.floor((endsAt - performance.now()) / 60_000))
  const minutes = Math.min(stage.minutes, leftMinutes)
  const args = ['--kill-after=60', `${minutes}m`, 'npm', 'run', stage.name]
  const { status } = spawnSync('timeout', stage.tests ? [...args, ...reporters] : args, {
    stdio: 'inherit',
  })
  const exitCode = status ?? 1
  if (exitCode !== 0) console.log(`== ${stage.name} ended with ${exitCode}`)
  ends.push({ name: stage.name, exitCode, ...(stage.tests ? { report } : {}) })
}

const { passed, failed } = await tally(ends)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
