import { runProjects } from './testing/run-projects.ts'

/**
 * `npm test`: all tests but those of `npm run test:slow`. Arguments go to vitest: `npm test --
 * src/domain`.
 */
await runProjects(['unit', 'integration', 'browser'])
