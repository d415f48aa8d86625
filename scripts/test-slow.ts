import { runProjects } from './testing/run-projects.ts'

/**
 * `npm run test:slow`: tests that start, kill and install whole processes or go through every page,
 * then hundreds of faults, random inputs, and budgets over large ones. Takes forty minutes.
 */
await runProjects(['processes', 'slow'])
