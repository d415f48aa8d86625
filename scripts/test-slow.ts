import { runProjects } from './testing/run-projects.ts'

/**
 * `npm run test:slow`: tests that start, kill and install whole processes, then hundreds of faults,
 * random inputs, and budgets over large ones. Takes half an hour.
 */
await runProjects(['processes', 'slow'])
