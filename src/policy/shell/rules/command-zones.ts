import type { CommandHost } from '#domain/tools/command.ts'
import type { Zone } from '../../worker-definition.ts'
import { showsGitContents } from './git-contents.ts'
import { foldName } from '../../names/fold-name.ts'
import { isReadBlocked } from '../../worker/read-blocked.ts'
import { containsPath, decidingZones, zonesBelow } from '../../globs/zones-of-path.ts'

/** The context of a rule's `zones`: `root` is absolute, `cwd` is relative to it. */
export interface ZoneContext {
  readonly host: CommandHost
  readonly root: string
  readonly cwd: string
  readonly zones: readonly Zone[]
}

/**
 * The first argument that lies outside of the named zones after links are followed, or `null`. The
 * deepest zone of a path decides, and a folder must not contain a zone that is not named.
 */
export async function outsideZones(
  context: ZoneContext,
  names: readonly string[],
  paths: readonly string[],
): Promise<string | null> {
  const root = await context.host.realPath(context.root)
  if (root === null) return context.root
  for (const path of paths) {
    const realPath = await context.host.realPath(absoluteOf(context, path))
    if (realPath === null || !isNamed(context.zones, names, root, realPath)) return path
  }
  return null
}

/**
 * The first argument that lies in a hidden zone after links are followed, with that zone; `null`:
 * none. An argument that is not a path lies in the working folder.
 */
async function insideHidden(
  context: ZoneContext,
  hidden: readonly Zone[],
  paths: readonly string[],
): Promise<{ readonly path: string; readonly zone: Zone } | null> {
  const root = await context.host.realPath(context.root)
  if (root === null || hidden.length === 0) return null
  for (const path of paths) {
    const realPath = await context.host.realPath(absoluteOf(context, path))
    if (realPath === null || !containsPath(root, realPath)) continue
    const deciding = decidingZones(
      context.zones,
      realPath === root ? '' : realPath.slice(root.length + 1),
    )
    const zone = deciding.find((candidate) => hidden.includes(candidate))
    if (zone !== undefined) return { path, zone }
  }
  return null
}

function absoluteOf({ root, cwd }: ZoneContext, path: string): string {
  return path.startsWith('/') ? path : [root, cwd, path].join('/')
}

function isNamed(
  zones: readonly Zone[],
  names: readonly string[],
  root: string,
  realPath: string,
): boolean {
  if (!containsPath(root, realPath)) return false
  const inside = realPath === root ? '' : realPath.slice(root.length + 1)
  const deciding = decidingZones(zones, inside)
  const zonesReached = [...deciding, ...zonesBelow(zones, inside)]
  return deciding.length > 0 && zonesReached.every((zone) => names.includes(zone.name))
}

/** A part of a text that a rule allows. */
export interface AllowedPart {
  /** the zones that the rule names */
  readonly visibleZones: readonly string[]
  /** the paths in its arguments */
  readonly paths: readonly string[]
  /** those of them that it may read */
  readonly mayRead: readonly string[]
  /** the vector that would run; `null`: unknown */
  readonly vector: readonly string[] | null
}

/**
 * The zones that are hidden from a command which rules alone allow (security.md 40): reading them
 * asks, and some rule that allows a part of the text does not name them. All parts run in one
 * sandbox. A rule that names a zone whose reads are blocked does not lift that block.
 */
export function hiddenZones(
  zones: readonly Zone[],
  allowedParts: readonly Pick<AllowedPart, 'visibleZones'>[],
): readonly Zone[] {
  return zones.filter((zone) => {
    const { name } = zone
    if (isReadBlocked(zone)) return true
    if ((zone.approval.read?.approval ?? 'preApproved') === 'preApproved') return false
    return !allowedParts.every(({ visibleZones }) => visibleZones.includes(name))
  })
}

/** A hidden zone that a command needs, and how it needs it, as a text. */
export interface ReachedZone {
  readonly zone: Zone
  readonly how: string
}

/**
 * The hidden zone that keeps a command which could be pre-approved from running alone; one whose
 * reads are blocked comes before one whose reads ask. A word counts as a path of a blocked zone
 * unless it is certainly none, because commands of external programs run without a sandbox, which
 * would hide the zone. `null`: it needs none.
 */
export async function reachedHidden(
  context: ZoneContext,
  hidden: readonly Zone[],
  allowedParts: readonly AllowedPart[],
): Promise<ReachedZone | null> {
  const blocked = hidden.filter(isReadBlocked)
  const asking = hidden.filter((zone) => !isReadBlocked(zone))
  for (const [zones, paths] of [
    [blocked, allowedParts.flatMap((part) => part.mayRead)],
    [asking, allowedParts.flatMap((part) => part.paths)],
  ] as const) {
    const named = await zoneOfPaths(context, zones, ['', ...paths])
    if (named !== null) return named
    const reached = await reachedInGit(context, zones, allowedParts)
    if (reached !== null) return reached
  }
  return null
}

/**
 * The zone whose reads are blocked that a command reads by a path of its text, or works in;
 * `null`: none. Holds for a command that asks too: no approval lifts such a block (product.md 1).
 */
export async function blockedZoneRead(
  context: ZoneContext,
  paths: Iterable<string>,
): Promise<ReachedZone | null> {
  return zoneOfPaths(context, context.zones.filter(isReadBlocked), ['', ...paths])
}

async function zoneOfPaths(
  context: ZoneContext,
  zones: readonly Zone[],
  paths: readonly string[],
): Promise<ReachedZone | null> {
  const match = await insideHidden(context, zones, paths)
  if (match === null) return null
  const displayPath = match.path === '' ? 'its folder' : JSON.stringify(match.path)
  return { zone: match.zone, how: `${displayPath} is in zone ${match.zone.name}` }
}

async function namesGitFolder(
  context: ZoneContext,
  allowedParts: readonly AllowedPart[],
): Promise<boolean> {
  for (const path of ['', ...allowedParts.flatMap((part) => part.paths)]) {
    const realPath = await context.host.realPath(absoluteOf(context, path))
    if (realPath?.split('/').some((name) => foldName(name) === '.git') === true) return true
  }
  return false
}

/**
 * The same for a Git command that can print Git's copies of files in such a zone, and for a command
 * that names files in a Git folder.
 */
async function reachedInGit(
  context: ZoneContext,
  hidden: readonly Zone[],
  allowedParts: readonly AllowedPart[],
): Promise<ReachedZone | null> {
  const { host, root } = context
  const realRoot = hidden.length === 0 ? null : await host.realPath(root)
  const inGit = realRoot !== null && (await namesGitFolder(context, allowedParts))
  for (const zone of realRoot === null ? [] : hidden) {
    const isSeen = ({ visibleZones }: AllowedPart): boolean =>
      !isReadBlocked(zone) && visibleZones.includes(zone.name)
    const isPrinted = allowedParts.some(
      (part) => part.vector !== null && !isSeen(part) && (inGit || showsGitContents(part.vector)),
    )
    if (!isPrinted || !(await host.gitHas([realRoot, zone.root].join('/')))) continue
    return { zone, how: `Git has files of zone ${zone.name}` }
  }
  return null
}
