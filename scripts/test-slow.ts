import { prepareTests } from './testing/prepare-tests.ts'
import { runStep } from './testing/run-steps.ts'

/**
 * `npm run test:slow`: hundreds of faults, random inputs and budgets over large ones, a quarter
 * of an hour.
 */
const args = ['run', '--project', 'slow', ...process.argv.slice(2)]
await prepareTests()
const { exitCode } = await runStep({ name: 'slow tests', program: 'vitest', args }, 'inherit')
process.exitCode = exitCode
