import { findChromium } from '../test/harness/chromium-binary.ts'
import { runStep, type Step } from './run-steps.ts'

/**
 * `npm test`: everything but the slow project. Arguments go to vitest: `npm test -- src/domain`.
 * What tests need and npm does not bring (Chromium, the Temporal server) is unpacked, downloaded
 * or built on the way, with progress; what cannot be had is one sentence.
 */
const given = process.argv.slice(2)
const steps: Step[] = [
  { name: 'dashboard', program: 'node', args: ['scripts/build.ts'] },
  {
    name: 'tests',
    program: 'vitest',
    args: ['run', ...projects(['unit', 'integration', 'browser']), ...given],
  },
]

try {
  await findChromium()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
for (const step of steps) {
  const { exitCode } = await runStep(step, 'inherit')
  if (exitCode !== 0) process.exit(exitCode)
}

function projects(names: readonly string[]): string[] {
  return names.flatMap((name) => ['--project', name])
}
