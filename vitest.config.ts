import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { cacheFolder } from './src/runtime/folders.ts'
import { processEnvironment } from './src/runtime/environment.ts'
import { makeRunFolder } from './test/harness/run-folder.ts'

const runFolder = makeRunFolder()

/** Files of the unit project: beside their source, no services, no waiting. */
const unit = ['{src,scripts,bench}/**/*.test.ts']
/**
 * Files that run with the slow ones, so that `npm test` stays below a quarter of an hour. Some
 * things are tested only here, for example the replay of recorded histories.
 */
const processes = [
  // They start, kill or install whole processes: commands in sandboxes, Git, the servers of tools.
  'test/{cli,contract,faults,packages,runtime}/**/*.test.ts',
  'test/browser/processes/**/*.test.ts',
  'src/{cli,sandbox}/**/*.it.test.ts',
  'src/tools/{commands,custom,mcp}/**/*.it.test.ts',
  'src/tools/worktrees/{git-push-https,merge-branch}.it.test.ts',
  'src/services/**/{remove-worktrees,worktree-servers}.it.test.ts',
  'src/delivery/reconciling/reconcile-runs.it.test.ts',
  'scripts/packages/sboms.test.ts',
  'test/api/programs/**/*.test.ts',
  'test/docs/contributing.test.ts',
  // They lose connections, answers, sessions and scripts of a page.
  'test/browser/faults/**/*.test.ts',
  // They go through all pages, widths and modes, or through many inputs, rows, histories or rounds.
  'test/browser/sweeps/**/*.test.ts',
  'test/{api/attacks,api/load,replay,shell,team-life}/**/*.test.ts',
  'test/budgets/{rows-read,waiting-heap}.test.ts',
  '{src,test/workflows}/**/{hanging,hostile,killed}-*.test.ts',
  'src/**/{*floods,*races}.it.test.ts',
  'src/**/*.property.test.ts',
]
/**
 * What waits for a condition must fail by its own sentence, also on a machine that is slow and
 * busy.
 */
const testTimeout = 240_000
/** Vitest's own second is too short for a page that loads beside two other browsers. */
const expectations = { poll: { timeout: 30_000 } }
const globalSetup = ['./test/harness/global-setup.ts']

/** Two more than two cores: much of a test is waiting for another process. */
const maxWorkers = 4
/**
 * Files share the processes of the workers: to start one and to import everything anew costs more
 * than most files. What a test needs for itself (database, task queue, folder) it makes.
 */
const isolate = false
/** All in one group, so that no worker is idle while the last file of a project runs. */
const sequence = { groupOrder: 0 }
/** Of the projects whose files use the real servers and share their process. */
const withServers = {
  globalSetup,
  isolate,
  maxWorkers,
  testTimeout,
  hookTimeout: testTimeout,
  expect: expectations,
  sequence,
}

/**
 * Five projects: `unit` needs nothing, the others get a real Postgres and a real Temporal through
 * the harness. `processes` and `slow` are left to `npm run test:slow`.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    // Node loads the sources itself, as it does in production, and compiles each once: no file is
    // transformed by Vite. Nothing here mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The packages of this repository run from their sources.
    execArgv: ['--conditions=countersign-source'],
    // What bin/countersign does: a command that a test starts loads what was compiled for another
    // one.
    env: {
      NODE_COMPILE_CACHE: join(cacheFolder(processEnvironment()), 'compiled'),
      ...(runFolder === null ? {} : { TMPDIR: runFolder }),
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: ['src/**/*.it.test.ts', 'node_modules/**', ...processes],
          // Generous for a busy machine: a unit test that needs seconds is an integration test.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          isolate,
          maxWorkers,
          sequence,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts', 'src/**/*.it.test.ts'],
          exclude: ['test/browser/**', 'test/slow/**', 'node_modules/**', ...processes],
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: processes,
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          ...withServers,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/slow/**/*.test.ts'],
          globalSetup,
          // With three at a time, the servers of one test were late beside two others.
          maxWorkers: 2,
          testTimeout: 30 * 60_000,
          hookTimeout: 10 * 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
