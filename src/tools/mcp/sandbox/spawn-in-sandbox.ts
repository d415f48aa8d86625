import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import { containsPath } from '#policy/globs/zones-of-path.ts'
import { bwrapArguments, bytesOfWords } from '#sandbox/bwrap/bwrap-arguments.ts'
import { informationDescriptor } from '#sandbox/bwrap/first-inside.ts'
import { proxyEnvironment } from '#sandbox/bwrap/domain-network.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'
import { networkDescriptors, resolverOf } from '#sandbox/bwrap/own-network.ts'
import { commandLimits } from '#sandbox/process/command-limits.ts'
import { ownArchitecture, systemCallFilter, unknownArchitecture } from '#sandbox/seccomp/filter.ts'
import type { Architecture } from '#sandbox/seccomp/system-calls.ts'
import { coversToCheck, sandboxedArgv } from '#sandbox/bwrap/sandboxed-argv.ts'
import type { MountedCopy, SandboxPlan } from '#sandbox/bwrap/sandbox-plan.ts'
import type { CommandSite } from '../../commands/plan/command-place.ts'
import type { ConfinedProgram, ServerProgram, ServerPlace, SpawnConfined } from '../connection.ts'
import { checkPrograms, copiesIn, type ChangedProgram } from '../programs/check-programs.ts'
import { coverOf } from './sandbox-cover.ts'
import { leadsOut, planServer } from './server-plan.ts'

/**
 * Starts servers in their worker's sandbox (workers-and-policy.md). A server has the worker's zones
 * and network, as commands have, and a private `/tmp`. What the owner's file names is read-only:
 * the program, its package folder, and files that its arguments name by absolute paths. Without a
 * working sandbox it starts a plain child with only its listed environment, or refuses if the
 * worker requires a sandbox.
 */
export function spawnInSandbox(
  site: CommandSite,
  onRefused: (changed: ChangedProgram) => Promise<void> = async () => undefined,
): SpawnConfined {
  return async (serverPlace, program) => {
    const { worker, workspace } = serverPlace
    const checkedCopies = await checkPrograms(site, serverPlace, program, onRefused)
    const { sandbox } = site
    if (sandbox.works) return confinedProgram(site, sandbox, serverPlace, program, checkedCopies)
    if (worker.sandbox.required) {
      throw new Error(
        `worker ${worker.name} requires the sandbox (sandbox.required), and none works on this host: ${sandbox.problem}`,
      )
    }
    const environment = { ...ownBytecode, ...program.environment }
    const cwd = workspace.root
    return { ...program, environment, cwd, descriptors: [], network: 'none', cover: null }
  }
}

/** The program in its worker's sandbox. */
async function confinedProgram(
  site: CommandSite,
  sandbox: Extract<HostSandbox, { works: true }>,
  serverPlace: ServerPlace,
  program: ServerProgram,
  checkedCopies: readonly MountedCopy[],
): Promise<ConfinedProgram> {
  const { worker } = serverPlace
  const { network } = worker.sandbox
  const access = network === 'none' ? null : network
  const { named, plan } = await planServer(site, serverPlace, program.args, true)
  const cover = await coverOf(plan)
  const command = await programPath(program, serverPlace)
  const mounted = plan.zones.map((zone) => zone.path)
  const outside = [packageFolder(command), ...named].filter(
    (at) => ![...mounted, ...systemRoots].some((root) => containsPath(root, at)),
  )
  // The zones are mounted over them.
  const shared = [...(plan.shared ?? []), ...new Set(outside)]
  const copies = copiesIn(checkedCopies, [...mounted, ...shared])
  const architecture = ownArchitecture()
  if (architecture === null) throw new Error(unknownArchitecture)
  const data = { passwd: 3, group: 4, filter: 8 }
  const words = bwrapArguments(
    { ...plan, cwd: cwdOf(plan), shared, copies },
    { folders: sandbox.folders, tmpBytes: commandLimits.writtenBytes },
    access === null
      ? data
      : { ...data, information: informationDescriptor, network: networkDescriptors },
  )
  const inside = sandboxedArgv(
    [command, ...program.args],
    [...plan.zones, ...(plan.around ?? []), ...copies, ...coversToCheck(plan)],
    commandLimits,
    { isRoot: process.getuid?.() === 0 },
  )
  const [starter, ...before] = [...sandbox.launch, sandbox.bwrap]
  return {
    command: starter,
    args: [...before, '--args', String(argumentsDescriptor), '--', ...inside],
    environment: {
      HOME: '/tmp',
      TMPDIR: '/tmp',
      ...ownBytecode,
      ...(Array.isArray(access) ? proxyEnvironment : {}),
      ...program.environment,
    },
    cwd: '/',
    descriptors: descriptorsOf(bytesOfWords(words, inside.length), architecture, access),
    network,
    cover,
  }
}

/**
 * What bubblewrap reads from descriptor 3 on, in base64. The sandbox reports on the last one that
 * it is ready, which is not needed here.
 */
function descriptorsOf(
  words: Buffer,
  architecture: Architecture,
  access: Exclude<NetworkAccess, 'none'> | null,
): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return [
    `user:x:${uid}:${gid}::/tmp:/bin/sh\n`,
    `user:x:${gid}:\n`,
    words,
    '',
    '',
    // A server outlives many calls, and no control group counts its memory.
    systemCallFilter(architecture, { countsMemory: false }),
    ...(access === null ? [] : [resolverOf(access)]),
  ].map((content) =>
    (typeof content === 'string' ? Buffer.from(content) : content).toString('base64'),
  )
}

const argumentsDescriptor = 5

/** Python then ignores compiled modules beside a script, which a worker may have written. */
const ownBytecode = { PYTHONPYCACHEPREFIX: '/dev/null/none' }

const systemRoots = ['/usr', '/bin', '/sbin', '/lib', '/lib64']

/**
 * The workspace root when a visible zone contains it, else the first one; without visible zones
 * there is only `/tmp`.
 */
function cwdOf(plan: SandboxPlan): string {
  if (plan.zones.some((zone) => zone.path === plan.cwd)) return plan.cwd
  return plan.zones[0]?.path ?? '/tmp'
}

/** A program's real file, by path or by name on the PATH. Throws a sentence without one. */
async function programPath(
  { command: name, environment: { PATH: search = '' } }: ServerProgram,
  { worker, workspace: { root } }: ServerPlace,
): Promise<string> {
  for (const candidate of programCandidates(name, search, root)) {
    const real = await realpath(candidate).catch(() => null)
    if (real === null || !(await stat(real)).isFile()) continue
    const isOwn = systemRoots.some((folder) => containsPath(folder, real))
    if (isOwn || !leadsOut(worker.zones, root, candidate, real)) return real
    throw new Error(`it could not be started (${name} leads out of the workspace)`)
  }
  throw new Error(`it could not be started (there is no program ${name})`)
}

/**
 * The files that a server's `command` may mean: a path relative to the workspace, or a name in each
 * folder of a PATH.
 */
export function programCandidates(command: string, search: string, root: string): string[] {
  if (command.includes('/')) return [path.resolve(root, command)]
  return search.split(':').map((folder) => path.join(folder, command))
}

/** A program of a package needs the files next to it; any other is one file. */
function packageFolder(program: string): string {
  const at = program.indexOf('/node_modules/')
  return at === -1 ? program : program.slice(0, at + '/node_modules'.length)
}
