import { runProjects } from './testing/run-projects.ts'

/**
 * `npm run test:slow`: what starts, kills and installs whole processes; then hundreds of faults,
 * random inputs and budgets over large ones. Half an hour.
 */
await runProjects(['processes', 'slow'])
