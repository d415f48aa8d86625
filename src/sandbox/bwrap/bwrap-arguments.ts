import type { MountedZone, SandboxPlan } from './sandbox-plan.ts'
import { systemFiles, type SystemFolder } from './system-folders.ts'

/** The descriptors that hold small files made for the sandbox. */
export interface DataDescriptors {
  readonly passwd: number
  readonly group: number
  /** on which bubblewrap says which process is the sandbox's first one, when somebody asks */
  readonly information?: number
  /** with a network of its own: see own-network.ts */
  readonly network?: { readonly resolver: number; readonly block: number } | null
}

/**
 * bubblewrap's arguments for one command (security.md 7): new namespaces without a network, no capabilities, the
 * system's programs read-only, a private `/tmp`, and of the host's files only what the plan mounts. Pure.
 */
export function bwrapArguments(
  plan: SandboxPlan,
  host: { readonly folders: readonly SystemFolder[]; readonly tmpBytes: number },
  data: DataDescriptors,
): string[] {
  return [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-net',
    '--unshare-cgroup-try',
    // Whoever gives a network must join the namespace that owns it, which a further one would hide.
    ...((data.network ?? null) === null ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'sandbox',
    ...host.folders.flatMap((folder) =>
      folder.kind === 'link'
        ? ['--symlink', folder.to, folder.path]
        : ['--ro-bind', folder.path, folder.path],
    ),
    ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),
    '--ro-bind-data',
    String(data.passwd),
    '/etc/passwd',
    '--ro-bind-data',
    String(data.group),
    '/etc/group',
    ...(data.information === undefined ? [] : ['--info-fd', String(data.information)]),
    ...networkOf(data.network ?? null),
    // A process of root's own id may write kernel settings without any capability.
    '--proc',
    '/proc',
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    '--dev',
    '/dev',
    '--size',
    String(host.tmpBytes),
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/run',
    ...mountsOf(plan),
    '--remount-ro',
    '/',
    '--chdir',
    plan.cwd,
  ]
}

function networkOf(network: NonNullable<DataDescriptors['network']> | null): string[] {
  if (network === null) return []
  return [
    '--ro-bind-data',
    String(network.resolver),
    '/etc/resolv.conf',
    '--block-fd',
    String(network.block),
  ]
}

/** Zones from the outside in, and then what is kept from commands, so that nothing is mounted over it. */
function mountsOf(plan: SandboxPlan): string[] {
  const outsideIn = (one: MountedZone, other: MountedZone): number =>
    one.path.length - other.path.length
  return [
    ...plan.zones
      .toSorted(outsideIn)
      .flatMap(({ mode, path }) => [mode === 'rw' ? '--bind' : '--ro-bind', path, path]),
    ...plan.pinned.flatMap((path) => ['--bind', path, path]),
    ...plan.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...plan.emptied.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    // The device is mounted without the right to open devices: opening it is refused.
    ...plan.covered.flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ]
}
