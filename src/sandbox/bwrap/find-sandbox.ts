import { lstat, readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { commandLimits } from './command-limits.ts'
import { runSandboxed } from './run-sandboxed.ts'
import { systemFolders, type SystemFolder } from './system-folders.ts'

/** What was found of a sandbox for commands on this host. */
export type FoundSandbox =
  | { readonly works: true; readonly bwrap: string; readonly folders: readonly SystemFolder[] }
  | { readonly works: false; readonly problem: string; readonly remedy: string }

const probeMs = 20_000

/**
 * Tries the sandbox once, with all that commands get of it. `bwrap` is a path, or a name that is looked up on the PATH.
 * Never rejects: without a sandbox the answer says why, and what would mend it.
 */
export async function findSandbox(bwrap: string): Promise<FoundSandbox> {
  if (process.platform !== 'linux') {
    return {
      works: false,
      problem: `commands cannot be sandboxed on ${process.platform}`,
      remedy: 'use "docker compose up" when you need commands',
    }
  }
  const folders = systemFolders()
  try {
    // A folder that is always there stands for a zone.
    const path = await realpath(tmpdir())
    const { dev, ino } = await lstat(path, { bigint: true })
    const zones = [{ path, mode: 'ro', identity: `${dev}:${ino}` } as const]
    const end = await runSandboxed({
      bwrap,
      folders,
      plan: { zones, readOnly: [], pinned: [], covered: [], emptied: [], cwd: path },
      argv: ['true'],
      timeoutMs: probeMs,
      limits: commandLimits,
      network: false,
      signal: new AbortController().signal,
    })
    if (end.exitCode === 0) return { works: true, bwrap, folders }
    const said = end.stderr.bytes.toString('utf8').trim().split('\n')[0] ?? ''
    return unusable(bwrap, end.timedOut ? 'it does not answer' : said)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return unusable(bwrap, said)
  }
}

async function unusable(bwrap: string, said: string): Promise<FoundSandbox> {
  if (said.includes('ENOENT')) {
    return {
      works: false,
      problem: `${bwrap} is not installed`,
      remedy: "install bubblewrap with the system's package manager (apt-get install bubblewrap)",
    }
  }
  const restricted = await readFile(
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    'utf8',
  ).catch(() => '0')
  if (restricted.trim() === '1') {
    return {
      works: false,
      problem: `Ubuntu keeps ${bwrap} from making user namespaces`,
      remedy:
        'allow it with an AppArmor profile (apt-get install apparmor-profiles, then enable bwrap-userns-restrict), ' +
        'or set kernel.apparmor_restrict_unprivileged_userns=0 with sysctl',
    }
  }
  return {
    works: false,
    problem: `${bwrap} does not work (${said})`,
    remedy:
      'bubblewrap 0.8 or newer, bash and prlimit are needed; in a container, allow user namespaces (seccomp and kernel.unprivileged_userns_clone)',
  }
}
