import { prepareTests } from './testing/prepare-tests.ts'
import { runStep, type Step } from './testing/run-steps.ts'

/**
 * `npm test`: the dashboard is built and everything but the slow project runs. Arguments go to
 * vitest: `npm test -- src/domain`.
 */
const projects = ['unit', 'integration', 'browser'].flatMap((name) => ['--project', name])
const steps: Step[] = [
  { name: 'dashboard', program: 'node', args: ['scripts/build.ts'] },
  { name: 'tests', program: 'vitest', args: ['run', ...projects, ...process.argv.slice(2)] },
]

await prepareTests()
for (const step of steps) {
  const { exitCode } = await runStep(step, 'inherit')
  if (exitCode !== 0) process.exit(exitCode)
}
