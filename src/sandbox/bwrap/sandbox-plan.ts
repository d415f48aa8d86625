/** The host's files that a command sees, by absolute and real paths. */
export interface SandboxPlan {
  /** the zones; the deepest one that contains a path decides */
  readonly zones: readonly MountedZone[]
  /** protected names: readable, not to be changed */
  readonly readOnly: readonly string[]
  /** folders that stay writable but may not be renamed or replaced */
  readonly pinned: readonly string[]
  /**
   * folders of writable zones around other zones and hidden folders, mounted again: renamed, they
   * would take what lies in them to a path where it is not hidden; absent: none
   */
  readonly around?: readonly MountedZone[]
  /** files that cannot be opened inside: keys, sockets, pipes */
  readonly covered: readonly string[]
  /** folders that look empty: the data folder, folders of keys */
  readonly emptied: readonly string[]
  /** `device:inode` of the folders of covered names, as they were found; absent: not compared */
  readonly parents?: ReadonlyMap<string, string>
  readonly cwd: string
  /** `device:inode` of `cwd` as it was found; `null`: it is not compared */
  readonly cwdIdentity: string | null
  /** folders outside of the zones that it may read; absent: none */
  readonly shared?: readonly string[]
  /** files that it gets as copies of what was examined, whatever exists there now */
  readonly copies: readonly MountedCopy[]
}

/** The same files, none of which the command may change. */
export function readOnlyPlan(plan: SandboxPlan): SandboxPlan {
  const zones = plan.zones.map((zone) => ({ ...zone, mode: 'ro' as const }))
  return { ...plan, zones, pinned: [], around: [] }
}

export interface MountedCopy {
  readonly path: string
  /** path of the copy */
  readonly from: string
  readonly mode: 'ro' | 'rw'
  /** `device:inode` of the copy */
  readonly identity: string
}

export interface MountedZone {
  readonly path: string
  readonly mode: 'ro' | 'rw'
  /** `device:inode` of the zone's root as it was found, so that a replaced one is noticed */
  readonly identity: string
}
