import { findTemporalBinary } from '../src/runtime/embedded/temporal-binary.ts'
import { findChromium } from '../test/harness/chromium-binary.ts'

/**
 * Gets what tests need and npm does not bring, before any test's clock runs: Temporal is downloaded
 * or built (minutes, the first time), Chromium unpacked. What cannot be had ends the run with the
 * sentence that says what to do.
 */
export async function prepareTests(): Promise<void> {
  try {
    await findTemporalBinary({ log: (sentence) => console.log(sentence) })
    await findChromium()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
