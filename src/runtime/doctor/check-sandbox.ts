import { findSandbox } from '../../sandbox/bwrap/find-sandbox.ts'
import { readText } from '../environment.ts'
import type { Check } from './check.ts'

/** Commands can be sandboxed. Without that no command runs; the file tools do not depend on it. */
export const checkSandbox: Check = async ({ environment }) => {
  const bwrap = readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap'
  const found = await findSandbox(bwrap)
  if (found.works) return [{ check: 'sandbox', state: 'ok', found: `${bwrap} works` }]
  return [
    {
      check: 'sandbox',
      state: 'warning',
      found: `${found.problem}: no command runs here`,
      remedy: found.remedy,
    },
  ]
}
