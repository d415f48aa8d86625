import { ownFile } from '../../policy/names/own-files.ts'
import { foldName } from '../../policy/names/fold-name.ts'
import { protectedName } from '../../policy/names/protected-names.ts'
import { secretName } from '../../policy/names/secret-names.ts'
import { listsProtected } from '../../policy/judge/consent/protected-consent.ts'
import { decidingZones } from '../../policy/judge/consent/zones-of-path.ts'
import type { NamedPaths } from '../../sandbox/bwrap/look-for-names.ts'
import type { CommandPlace } from './command-place.ts'

/**
 * What makes a repository run or read something else, or tells it where it fetches from and pushes to. The rest of `.git`
 * is what `git add` and `git commit` write.
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

/** A rebase that stopped in the middle goes on by this list, and its `exec` lines are commands. */
const rebaseTodo = 'rebase-merge/git-rebase-todo'
const execLine = /^[ \t]*(?:x|exec)(?:[ \t\r]|$)/m

/** Which names commands of a worker must not read or change (security.md 8). Paths named in `allowed` may be read. */
export function commandNames(place: CommandPlace, allowed: ReadonlySet<string>): NamedPaths {
  const { policy, projectDir, worker } = place
  return {
    secret: (at, folder) => !allowed.has(at) && secretName(folder ? `${at}/any` : at) !== null,
    standing(at) {
      if (ownFile(policy, projectDir, at) !== null) return 'guarded'
      const found = protectedName(at)
      if (found === null) return null
      const zones = decidingZones(worker.zones, at)
      if (zones.length > 0 && zones.every((zone) => listsProtected(zone, at))) return null
      return found.name === '.git' || found.name === 'git~1' ? standingInGit(at) : 'guarded'
    },
    // git takes any folder that is made like this for a repository, whatever its name, and does what its config says.
    isRepository(names) {
      const folded = new Set([...names].map(foldName))
      const own = folded.has('objects') && folded.has('refs')
      return folded.has('head') && (own || folded.has('commondir'))
    },
    inRepository: (name) => (gitInternals.has(foldName(name)) ? 'guarded' : null),
    runsProgram: (text) => execLine.test(text),
  }
}

function standingInGit(at: string): 'guarded' | 'pinned' | 'script' | null {
  const names = at.split('/').map(foldName)
  const below = names.slice(names.findIndex((name) => name === '.git' || name === 'git~1') + 1)
  if (below.length === 0) return 'pinned'
  if (below.join('/') === rebaseTodo) return 'script'
  return below.length === 1 && gitInternals.has(below[0] ?? '') ? 'guarded' : null
}
