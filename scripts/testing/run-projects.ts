import { runStep, type Step } from './run-steps.ts'
import { findTemporalBinary } from '#runtime/embedded/temporal-binary.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { sweepCache } from '#runtime/supervisor/sweep-cache.ts'
import { findChromium } from '#test/harness/programs/chromium-binary.ts'
import { installSandbox } from './install-sandbox.ts'

/**
 * Builds the dashboard and runs the test files of these projects of `vitest.config.ts`; the
 * arguments of the command go to vitest. Ends the process with another exit code than 0 if
 * something failed.
 */
export async function runProjects(names: readonly string[]): Promise<void> {
  const projects = names.flatMap((name) => ['--project', name])
  const steps: Step[] = [
    { name: 'dashboard', program: 'node', args: ['scripts/build.ts'] },
    { name: 'tests', program: 'vitest', args: ['run', ...projects, ...process.argv.slice(2)] },
  ]
  await prepareTests()
  for (const step of steps) {
    const { exitCode } = await runStep(step, 'inherit')
    if (exitCode !== 0) process.exit(exitCode)
  }
}

/**
 * Installs what tests need and npm does not install, before the time of any test begins: downloads
 * or builds Temporal (minutes, the first time), unpacks Chromium, and installs bubblewrap if
 * permitted. If something cannot be installed, the run ends with a sentence that says what to do;
 * without a sandbox its tests are skipped.
 */
async function prepareTests(): Promise<void> {
  const missing = installSandbox({
    path: process.env['PATH'] ?? '',
    mayInstall: process.getuid?.() === 0,
    log: (sentence) => console.log(sentence),
  })
  if (missing !== null) console.log(`The sandbox tests are skipped: ${missing}.`)
  try {
    void sweepCache(cacheFolder(processEnvironment()), new Date())
    await findTemporalBinary({ log: (sentence) => console.log(sentence) })
    await findChromium()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
