import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { readText } from '../environment.ts'
import type { Check, Finding } from './check.ts'

const run = promisify(execFile)
const TRIAL = [
  '--unshare-all',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '/bin/true',
]

/** Commands can be sandboxed. Without that no command is pre-approved; the file tools do not depend on it. */
export const checkSandbox: Check = async ({ environment }) => {
  const bwrap = readText(environment, 'COUNTERSIGN_BWRAP') ?? 'bwrap'
  try {
    await run(bwrap, TRIAL, { timeout: 5_000 })
    return [{ check: 'sandbox', state: 'ok', found: `${bwrap} works` }]
  } catch (error) {
    return [await explain(bwrap, error as NodeJS.ErrnoException & { stderr?: string })]
  }
}

async function explain(
  bwrap: string,
  error: NodeJS.ErrnoException & { stderr?: string },
): Promise<Finding> {
  const finding = { check: 'sandbox', state: 'warning' } as const
  const effect = 'no command is pre-approved, and workers with sandbox.required run none'
  if (process.platform !== 'linux') {
    return {
      ...finding,
      found: `commands cannot be sandboxed on ${process.platform}: ${effect}`,
      remedy: 'use "docker compose up" when you need commands',
    }
  }
  if (error.code === 'ENOENT') {
    return {
      ...finding,
      found: `${bwrap} is not installed: ${effect}`,
      remedy: "install bubblewrap with the system's package manager (apt-get install bubblewrap)",
    }
  }
  const restricted = await readFile(
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    'utf8',
  ).catch(() => '0')
  if (restricted.trim() === '1') {
    return {
      ...finding,
      found: `Ubuntu keeps ${bwrap} from making user namespaces: ${effect}`,
      remedy:
        'allow it with an AppArmor profile (apt-get install apparmor-profiles, then enable bwrap-userns-restrict), ' +
        'or set kernel.apparmor_restrict_unprivileged_userns=0 with sysctl',
    }
  }
  return {
    ...finding,
    found: `${bwrap} does not work (${(error.stderr ?? error.message).trim().split('\n')[0]}): ${effect}`,
    remedy:
      'in a container, allow user namespaces for it (seccomp and kernel.unprivileged_userns_clone)',
  }
}
