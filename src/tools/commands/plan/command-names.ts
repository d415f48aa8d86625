import path from 'node:path'
import { ownFile, type OwnFilesPolicy, workspaceRoot } from '#policy/names/own-files.ts'
import { foldName } from '#policy/names/fold-name.ts'
import { protectedName } from '#policy/names/protected-names.ts'
import { secretName } from '#policy/names/secret-names.ts'
import { listsProtected } from '#policy/judge/consent/protected-consent.ts'
import { decidingZones } from '#policy/globs/zones-of-path.ts'
import type { NameRules, NameGuard } from '#sandbox/bwrap/names/look-for-names.ts'
import type { Zone } from '#policy/worker-definition.ts'

/** What determines those names; a `CommandPlace` is one. */
export interface NamesPlace {
  readonly policy: OwnFilesPolicy
  readonly projectDir: string
  readonly worker: { readonly zones: readonly Zone[] }
}

/**
 * Files that make a repository run or read other files, or that set its remotes. `git add` and `git
 * commit` write the rest of `.git`.
 */
const gitInternals = new Set([
  'branches',
  'commondir',
  'config',
  'config.worktree',
  'hooks',
  'info',
  'modules',
  'remotes',
  'worktrees',
])

/** They name other folders with objects of the repository, which the service shows to commands. */
const borrowed = new Set(['objects/info/alternates', 'objects/info/http-alternates'])

/** A rebase that was interrupted continues by this list, whose `exec` lines are commands. */
const rebaseTodo = 'rebase-merge/git-rebase-todo'
const execLine = /^[ \t]*(?:x|exec)(?:[ \t\r]|$)/m

/**
 * The names that commands of a worker must not read or change (security.md 8). Paths in `allowed`
 * may be read.
 */
export function commandNames(place: NamesPlace, allowed: ReadonlySet<string>): NameRules {
  const { policy, projectDir, worker } = place
  const root = path.resolve(projectDir, workspaceRoot(policy))
  const project = path.relative(root, projectDir)
  const isAroundProject = (at: string): boolean => project === at || project.startsWith(`${at}/`)
  return {
    secret: (at, folder) => !allowed.has(at) && secretName(folder ? `${at}/any` : at) !== null,
    guardOf(at) {
      if (ownFile(policy, projectDir, at) !== null) return 'guarded'
      const protection = protectedName(at)
      // The project folder and its parents must not be renamed, so that no other folder can replace
      // it.
      if (protection === null) return isAroundProject(at) ? 'pinned' : null
      const zones = decidingZones(worker.zones, at)
      if (zones.length > 0 && zones.every((zone) => listsProtected(zone, at))) return null
      return protection.name === '.git' || protection.name === 'git~1' ? guardInGit(at) : 'guarded'
    },
    // git treats any folder of this form as a repository, whatever its name, and obeys its config.
    isRepository(names) {
      const folded = new Set([...names].map(foldName))
      const isBare = folded.has('objects') && folded.has('refs')
      return folded.has('head') && (isBare || folded.has('commondir'))
    },
    inRepository: (name) => (gitInternals.has(foldName(name)) ? 'guarded' : null),
    runsProgram: (text) => execLine.test(text),
  }
}

function guardInGit(at: string): NameGuard | null {
  const names = at.split('/').map(foldName)
  const below = names.slice(names.findIndex((name) => name === '.git' || name === 'git~1') + 1)
  if (below.length === 0) return 'pinned'
  if (below.join('/') === rebaseTodo) return 'script'
  if (borrowed.has(below.join('/'))) return 'guarded'
  return below.length === 1 && gitInternals.has(below[0] ?? '') ? 'guarded' : null
}
