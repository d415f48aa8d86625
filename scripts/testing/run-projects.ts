import { prepareTests } from './prepare-tests.ts'
import { runStep, type Step } from './run-steps.ts'

/**
 * Builds the dashboard and runs the test files of these projects of `vitest.config.ts`; the
 * arguments of the command go to vitest. Ends the process with an exit code that is not 0 when
 * something failed.
 */
export async function runProjects(names: readonly string[]): Promise<void> {
  const projects = names.flatMap((name) => ['--project', name])
  const steps: Step[] = [
    { name: 'dashboard', program: 'node', args: ['scripts/build.ts'] },
    { name: 'tests', program: 'vitest', args: ['run', ...projects, ...process.argv.slice(2)] },
  ]
  await prepareTests()
  for (const step of steps) {
    const { exitCode } = await runStep(step, 'inherit')
    if (exitCode !== 0) process.exit(exitCode)
  }
}
