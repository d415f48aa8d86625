import { runProjects } from './testing/run-projects.ts'

/**
 * `npm run test:slow`: the projects `processes` (whole processes, lost connections, all pages, many
 * inputs) and `slow` (1,000 faults, random inputs, large data). Takes about forty minutes.
 */
await runProjects(['processes', 'slow'])
