import path from 'node:path'
import { SandboxFailed } from '../process/command-end.ts'
import { bytesOfName } from '../names/raw-names.ts'
import type { MountedCopy, MountedZone, SandboxPlan } from './sandbox-plan.ts'
import { systemFiles, type SystemFolder } from './system-folders.ts'

/** The writable folders outside the zones, all in memory; `tmpBytes` is the size of `/tmp`. */
export const boundedFolders: readonly (readonly [path: string, bytes: number])[] = [
  ['/dev/shm', 256 * 1024 * 1024],
  ['/run', 16 * 1024 * 1024],
  ['/tmp', Number.POSITIVE_INFINITY],
]

/** The descriptors that hold small files made for the sandbox. */
export interface DataDescriptors {
  readonly passwd: number
  readonly group: number
  /** the filter of system calls: see seccomp/filter.ts */
  readonly filter: number
  /** on which bubblewrap reports the first process of the sandbox, if requested */
  readonly information?: number
  /** with a network of its own: see own-network.ts */
  readonly network?: { readonly resolver: number; readonly block: number } | null
}

/**
 * bubblewrap's arguments for one command (security.md 7): new namespaces without a network, no
 * capabilities, the system's programs read-only, a private `/tmp`, and no other files of the host
 * than the mounts of the plan. Pure.
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
    // To add a network one must join the namespace that owns it, which another one would hide.
    ...((data.network ?? null) === null ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--hostname',
    'sandbox',
    '--seccomp',
    String(data.filter),
    ...host.folders.flatMap((folder) => {
      if (folder.kind === 'link') return ['--symlink', folder.to, folder.path]
      return folder.kind === 'folder' ? ['--ro-bind', folder.path, folder.path] : []
    }),
    ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),
    '--ro-bind-data',
    String(data.passwd),
    '/etc/passwd',
    '--ro-bind-data',
    String(data.group),
    '/etc/group',
    ...(data.information === undefined ? [] : ['--info-fd', String(data.information)]),
    ...networkOf(data.network ?? null),
    // A process with root's id may write kernel settings without any capability.
    '--proc',
    '/proc',
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    ...host.folders.flatMap(({ kind, path }) =>
      kind === 'masked' ? ['--ro-bind', '/dev/null', path] : [],
    ),
    '--dev',
    '/dev',
    ...boundedFolders.flatMap(([path, bytes]) => [
      '--size',
      String(Math.min(bytes, host.tmpBytes)),
      '--tmpfs',
      path,
    ]),
    // Its devices are mounts of their own: other files that a command creates there are not
    // counted.
    '--remount-ro',
    '/dev',
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

function mountOf({ from, mode, path }: MountedCopy): string[] {
  return [mode === 'rw' ? '--bind' : '--ro-bind', from, path]
}

/** The most words that bubblewrap takes, on its command line and by `--args`. */
const maxWords = 9000

/**
 * The bytes that bubblewrap reads by `--args`: names need not be text, and the kernel's bound for a
 * command line does not count. `others`: the number of its other words. Throws `SandboxFailed` for
 * more words than it takes.
 */
export function bytesOfWords(words: readonly string[], others: number): Buffer {
  if (words.length + others > maxWords) {
    throw new SandboxFailed(
      'The sandbox could not be created, because the zones have too many protected names, keys and sockets (a sandbox can hide or protect about 1,200 keys or 2,900 other names): give the worker smaller zones.',
    )
  }
  return bytesOfName(words.map((word) => `${word}\0`).join(''))
}

/** The paths that lie in no other one: a folder is mounted with all that is in it. */
export function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths)
  const isBelowAnother = (at: string): boolean => {
    const parent = path.dirname(at)
    return parent !== at && (all.has(parent) || isBelowAnother(parent))
  }
  return paths.filter((at) => !isBelowAnother(at))
}

/**
 * Zones, and folders that stay in their place, from the outside in, because mounting one again
 * shows everything below it; then the covered paths, so that nothing is mounted over them.
 */
function mountsOf(plan: SandboxPlan): string[] {
  type Mount = Pick<MountedZone, 'mode' | 'path'>
  const outsideIn = (left: Mount, right: Mount): number => left.path.length - right.path.length
  const pinned = plan.pinned.map((path) => ({ path, mode: 'rw' as const }))
  const isEmptied = (path: string): boolean =>
    plan.emptied.some((folder) => path.startsWith(`${folder}/`))
  return [
    ...(plan.shared ?? []).flatMap((path) => ['--ro-bind', path, path]),
    ...[...plan.zones, ...pinned, ...(plan.around ?? [])]
      .toSorted(outsideIn)
      .flatMap(({ mode, path }) => [mode === 'rw' ? '--bind' : '--ro-bind', path, path]),
    ...outermost(plan.readOnly).flatMap((path) => ['--ro-bind', path, path]),
    ...plan.copies.filter(({ path }) => !isEmptied(path)).flatMap(mountOf),
    ...plan.emptied.flatMap((folder) => [
      '--tmpfs',
      folder,
      ...plan.copies.filter(({ path }) => path.startsWith(`${folder}/`)).flatMap(mountOf),
      '--remount-ro',
      folder,
    ]),
    // The device is mounted without the right to open devices: opening it is refused.
    ...plan.covered.flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ]
}
