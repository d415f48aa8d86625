import type { CommandHost } from '#domain/tools/command.ts'
import type { Zone } from '../../worker-definition.ts'
import { showsGitContents } from './git-contents.ts'
import { foldName } from '../../names/fold-name.ts'
import { containsPath, decidingZones, zonesBelow } from '../../globs/zones-of-path.ts'

/**
 * The context of a rule's `zones`. `root` is the workspace's, absolute; `cwd` is relative to it.
 */
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
  /** the vector that would run; `null`: unknown */
  readonly vector: readonly string[] | null
}

/**
 * The zones that are hidden from a command which rules alone allow (security.md 40): reading them
 * asks, and some rule that allows a part of the text does not name them. All parts run in one
 * sandbox.
 */
export function hiddenZones(
  zones: readonly Zone[],
  allowedParts: readonly AllowedPart[],
): readonly Zone[] {
  return zones.filter(({ name, approval }) => {
    const { read } = approval
    if (read === undefined || read === null || read.approval === 'preApproved') return false
    return !allowedParts.every(({ visibleZones }) => visibleZones.includes(name))
  })
}

/**
 * Why a command that could be pre-approved asks after all: it needs a hidden zone. `null`: it does
 * not.
 */
export async function reachedHidden(
  context: ZoneContext,
  hidden: readonly Zone[],
  allowedParts: readonly AllowedPart[],
): Promise<string | null> {
  const paths = ['', ...allowedParts.flatMap((part) => part.paths)]
  const match = await insideHidden(context, hidden, paths)
  if (match === null) return askForGitCopies(context, hidden, allowedParts)
  const displayPath = match.path === '' ? 'its folder' : JSON.stringify(match.path)
  const effect = match.zone.approval.read?.approval === 'blocked' ? 'are blocked' : 'ask'
  return `the command asks: ${displayPath} is in zone ${match.zone.name}, whose reads ${effect}, and not every rule that allows it names that zone`
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
 * The same for a Git command that can print Git's copies of files in such a zone, and for one that
 * names files in a Git folder.
 */
async function askForGitCopies(
  context: ZoneContext,
  hidden: readonly Zone[],
  allowedParts: readonly AllowedPart[],
): Promise<string | null> {
  const { host, root } = context
  const realRoot = hidden.length === 0 ? null : await host.realPath(root)
  const inGit = realRoot !== null && (await namesGitFolder(context, allowedParts))
  for (const zone of realRoot === null ? [] : hidden) {
    const isPrinted = allowedParts.some(
      ({ vector, visibleZones }) =>
        vector !== null && !visibleZones.includes(zone.name) && (inGit || showsGitContents(vector)),
    )
    if (!isPrinted || !(await host.gitHas([realRoot, zone.root].join('/')))) continue
    return `the command asks: Git has files of zone ${zone.name}, whose reads ask, and the rule that allows it does not name that zone`
  }
  return null
}
