import { runProjects } from './testing/run-projects.ts'

/**
 * `npm test`: everything but what `npm run test:slow` runs. Arguments go to vitest:
 * `npm test -- src/domain`.
 */
await runProjects(['unit', 'integration', 'browser'])
