import { findTemporalBinary } from '#runtime/embedded/temporal-binary.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { cacheFolder } from '#runtime/folders.ts'
import { sweepCache } from '#runtime/supervisor/sweep-cache.ts'
import { findChromium } from '#test/harness/programs/chromium-binary.ts'
import { installSandbox } from './install-sandbox.ts'

/**
 * Gets what tests need and npm does not bring, before any test's clock runs: Temporal is downloaded
 * or built (minutes, the first time), Chromium unpacked, bubblewrap installed when we may. What
 * cannot be had ends the run with the sentence that says what to do; without a sandbox its tests
 * are skipped.
 */
export async function prepareTests(): Promise<void> {
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
