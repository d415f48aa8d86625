import { findSandbox } from '../../../sandbox/bwrap/find-sandbox.ts'
import { boundsByKernel } from '../../../sandbox/process/control-group.ts'
import { readText } from '../../environment.ts'
import type { Check } from '../check.ts'

/**
 * Commands can be sandboxed, and which of their limits the kernel holds for all their processes together. Without a
 * sandbox no command is pre-approved; the file tools do not depend on it.
 */
export const checkSandbox: Check = async ({ environment }) => {
  const bwrap = readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap'
  const found = await findSandbox(bwrap)
  if (found.works) {
    return [{ check: 'sandbox', state: 'ok', found: `${bwrap} works; ${limitsWords()}` }]
  }
  return [
    {
      check: 'sandbox',
      state: 'warning',
      found: `${found.problem}: no command is pre-approved here, and one that a person approves runs without a sandbox, unless its worker requires one`,
      remedy: found.remedy,
    },
  ]
}

function limitsWords(): string {
  const by = boundsByKernel()
  const how = (held: boolean): string => (held ? 'a control group' : 'looking ten times a second')
  return `memory of a command is bounded by ${how(by.memory)}, its processes by ${how(by.processes)}`
}
