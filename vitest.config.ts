import { defineConfig } from 'vitest/config'

/** Files of the unit project: beside their source, no services, no waiting. */
const unit = ['src/**/*.test.ts', 'scripts/**/*.test.ts']
const globalSetup = ['./test/harness/global-setup.ts']

/**
 * Four projects, run one after the other: `unit` needs nothing, the others get a real Postgres and
 * a real Temporal through the harness. `slow` is left to `npm run test:slow`.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: ['src/**/*.it.test.ts', 'node_modules/**'],
          // Generous for a busy machine: a unit test that needs seconds is an integration test.
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', 'src/**/*.it.test.ts'],
          exclude: ['test/browser/**', 'test/slow/**', 'node_modules/**'],
          globalSetup,
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup,
          maxWorkers: 1,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          globalSetup,
          maxWorkers: 1,
          testTimeout: 30 * 60_000,
          hookTimeout: 10 * 60_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
