/**
 * What a command finds of the host's files. All paths are absolute, real and without a link on the
 * way.
 */
export interface SandboxPlan {
  /** the zones; the deepest one that contains a path decides */
  readonly zones: readonly MountedZone[]
  /** protected names as they are: readable, not to be changed */
  readonly readOnly: readonly string[]
  /** folders that stay writable but may not be renamed or replaced */
  readonly pinned: readonly string[]
  /** files that cannot be opened inside: keys, sockets, pipes */
  readonly covered: readonly string[]
  /** folders that look empty: the data folder, folders of keys */
  readonly emptied: readonly string[]
  readonly cwd: string
  /** `device:inode` of `cwd` as it was found; `null`: it is not compared */
  readonly cwdIdentity: string | null
  /** folders outside of the zones that it may read; absent: none */
  readonly shared?: readonly string[]
  /** files that it finds as copies of what was looked at, whatever lies there by now */
  readonly copies: readonly MountedCopy[]
}

export interface MountedCopy {
  readonly path: string
  /** where the copy lies */
  readonly from: string
  readonly mode: 'ro' | 'rw'
  /** `device:inode` of the copy */
  readonly identity: string
}

export interface MountedZone {
  readonly path: string
  readonly mode: 'ro' | 'rw'
  /** `device:inode` as the zone's root was found, so that a swapped one is noticed */
  readonly identity: string
}
