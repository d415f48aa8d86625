import { lstat, readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { CommandHost } from '#domain/tools/command.ts'
import { errorMessage } from '#domain/error-message.ts'
import { boundsByKernel, type BoundsByKernel } from '../process/control-group.ts'
import { commandLimits } from '../process/command-limits.ts'
import { ownArchitecture } from '../seccomp/filter.ts'
import { architectures, numberOf } from '../seccomp/system-calls.ts'
import { runSandboxed } from './run-sandboxed.ts'
import { systemFolders, type SystemFolder } from './system-folders.ts'
import { filesInGit, nestsRepositories } from '../git/tracked-paths.ts'
import { realPathOf } from '../real-path.ts'
import { findProgram } from './find-program.ts'

/** The sandbox for commands on this host. */
export type HostSandbox =
  | {
      readonly works: true
      readonly bwrap: string
      /** the command that starts bubblewrap: see `ownKeyring` */
      readonly launch: readonly string[]
      readonly folders: readonly SystemFolder[]
      /** what the kernel bounds for all processes of a command together; the rest is polled */
      readonly bounds: BoundsByKernel
    }
  | { readonly works: false; readonly problem: string; readonly remedy: string }

const probeMs = 20_000

/**
 * Tries the sandbox once, with everything that commands use. `bwrap` is a path, or a name on the
 * PATH. Never rejects: without a sandbox the answer says why, and the remedy.
 */
export async function findSandbox(bwrap: string): Promise<HostSandbox> {
  if (process.platform !== 'linux') {
    return {
      works: false,
      problem: `commands cannot be sandboxed on ${process.platform}`,
      remedy: 'use "docker compose up" when you need commands',
    }
  }
  if (ownArchitecture() === null) {
    return {
      works: false,
      problem: `commands cannot be sandboxed on ${process.arch}`,
      remedy: `use a machine with one of ${architectures.join(', ')} when you need commands`,
    }
  }
  const folders = systemFolders()
  const launch = await ownKeyring()
  try {
    // An existing folder in place of a zone.
    const path = await realpath(tmpdir())
    const { dev, ino } = await lstat(path, { bigint: true })
    const zones = [{ path, mode: 'ro', identity: `${dev}:${ino}` } as const]
    const end = await runSandboxed({
      bwrap,
      launch,
      folders,
      plan: {
        zones,
        readOnly: [],
        pinned: [],
        covered: [],
        emptied: [],
        copies: [],
        cwd: path,
        cwdIdentity: null,
      },
      argv: ['true'],
      timeoutMs: probeMs,
      limits: commandLimits,
      network: 'none',
      signal: new AbortController().signal,
    })
    if (end.exitCode === 0) return { works: true, bwrap, launch, folders, bounds: boundsByKernel() }
    const message = end.stderr.bytes.toString('utf8').trim().split('\n')[0] ?? ''
    return unusable(
      bwrap,
      end.timedOut
        ? 'it does not answer'
        : (end.exceeded ?? (message || `exit code ${end.exitCode}`)),
    )
  } catch (error) {
    const message = errorMessage(error)
    return unusable(bwrap, message)
  }
}

async function unusable(bwrap: string, reason: string): Promise<HostSandbox> {
  if (reason.includes('ENOENT')) {
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
    problem: `${bwrap} does not work (${reason})`,
    remedy:
      'bubblewrap 0.8 or newer, bash and prlimit are needed; in a container, allow user namespaces (seccomp and kernel.unprivileged_userns_clone)',
  }
}

/**
 * This host, for policy about commands. A program below the folder of the command is never found:
 * contents of a workspace can change, so a person must approve them.
 */
export function commandHost(sandbox: HostSandbox): CommandHost {
  return {
    sandboxProblem: sandbox.works ? null : sandbox.problem,
    executable: findProgram,
    realPath: realPathOf,
    // Without an index that says what Git has, it may have them.
    gitHas: async (folder) => (await filesInGit(folder)) !== 'none',
    nestsRepositories,
  }
}

/** Joins a new session keyring without a name and becomes the next program in any case. */
const join = `syscall(shift, 1, 0)
exec { $ARGV[0] } @ARGV
print STDERR $! == 2 ? 'ENOENT' : $!
exit 127`.replaceAll('\n', '; ')

/**
 * The command that starts bubblewrap with a session keyring of its own (security.md 30) instead of
 * the service's, which Node itself cannot request. Without perl only the system-call filter keeps
 * commands from keyrings.
 */
export async function ownKeyring(): Promise<readonly string[]> {
  const architecture = ownArchitecture()
  const number = architecture === null ? null : numberOf('keyctl', architecture)
  const perl = await findProgram('perl')
  return number === null || perl === null ? [] : [perl.path, '-e', join, String(number)]
}
