import { findSandbox, type HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { readText } from '../../environment.ts'
import { temporalNamedBy } from '../../config/temporal-config.ts'
import type { Check } from '../target/check.ts'
import { isPackage } from '../../folders.ts'
import { findGo } from '../../embedded/build-with-go.ts'
import { cachedTemporal } from '../../embedded/temporal-version.ts'
import { isProgram } from '../../files.ts'

/**
 * Whether commands can be sandboxed, and which of their limits the kernel enforces for all their
 * processes together. Without a sandbox no command is pre-approved; the file tools do not depend on
 * it.
 */
export const checkSandbox: Check = async ({ environment }) => {
  const bwrap = readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap'
  const sandbox = await findSandbox(bwrap)
  if (sandbox.works) {
    return [{ check: 'sandbox', state: 'ok', found: `${bwrap} works; ${limitsWords(sandbox)}` }]
  }
  return [
    {
      check: 'sandbox',
      state: 'warning',
      found: `${sandbox.problem}: no command is pre-approved here, and one that a person approves runs without a sandbox, unless its worker requires one`,
      remedy: sandbox.remedy,
    },
  ]
}

/**
 * The limits that the kernel enforces for all processes of a command together, and those that are
 * enforced by polling.
 */
function limitsWords({ bounds: by, launch }: Extract<HostSandbox, { works: true }>): string {
  const how = (isByGroup: boolean): string =>
    isByGroup ? 'a control group' : 'looking ten times a second'
  return [
    `memory of a command is bounded by ${how(by.memory)}`,
    `its processes by ${how(by.processes)}`,
    `what it writes and how many files it makes by ${how(false)}`,
    ...(launch.length === 0 ? ['without perl it has no session keyring of its own'] : []),
  ].join(', ')
}

/** The running Node is the one that package-lock.json pins; a package supports several. */
export const checkNode: Check = async () => {
  const isRight = isPackage || process.version.startsWith('v24.')
  return [
    isRight
      ? { check: 'node', state: 'ok', found: `Node ${process.version}` }
      : {
          check: 'node',
          state: 'problem',
          found: `this is Node ${process.version}; Countersign needs Node 24`,
          remedy:
            'start it as bin/countersign (or npm start), which brings its own Node; run "npm ci" when that is missing',
        },
  ]
}

/** The next start will find Temporal, or can get it. */
export const checkTemporalBinary: Check = async ({ environment }) => {
  if (temporalNamedBy(environment) !== null) return []
  const cached = cachedTemporal(environment)
  if (await isProgram(cached))
    return [{ check: 'temporal-binary', state: 'ok', found: `${cached} is in the cache` }]
  const go = await findGo()
  return [
    go === null
      ? {
          check: 'temporal-binary',
          state: 'warning',
          found: 'Temporal is not in the cache, and there is no Go toolchain to build it with',
          remedy:
            'the next start tries to download it; without that, install the "temporal" command or Go 1.26',
        }
      : {
          check: 'temporal-binary',
          state: 'ok',
          found: `Temporal is not in the cache; the next start downloads it, or builds it with Go ${go} in about four minutes`,
        },
  ]
}
