import { runSteps, type Step } from './run-steps.ts'

/** What can be known in seconds and without services: `npm run verify`, the first stage of CI. */
const steps: Step[] = [
  { name: 'types', program: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of the dashboard', program: 'tsc', args: ['-p', 'tsconfig.ui.json'] },
  { name: 'types of the workflows', program: 'tsc', args: ['-p', 'tsconfig.workflows.json'] },
  { name: 'lint', program: 'oxlint', args: ['--deny-warnings'] },
  { name: 'format', program: 'oxfmt', args: ['--check'] },
  { name: 'dead code', program: 'knip', args: [] },
  { name: 'layers', program: 'node', args: ['scripts/check-layers.ts'] },
  { name: 'verbs', program: 'node', args: ['scripts/check-verbs.ts'] },
  {
    name: 'unit tests',
    program: 'vitest',
    args: ['run', '--project', 'unit', ...process.argv.slice(2)],
  },
]

const results = await runSteps(steps, 2)
const failed = results.filter((result) => result.exitCode !== 0)
if (failed.length > 0) {
  console.error(`\n${failed.map((result) => result.step.name).join(', ')}: not as it should be`)
  process.exitCode = 1
}
