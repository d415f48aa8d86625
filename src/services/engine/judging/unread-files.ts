import { posix } from 'node:path'
import type { CommandHost } from '#domain/tools/command.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { foldPath } from '#policy/names/fold-name.ts'

/** No folder of this host: only texts of paths are joined to it. */
const root = '/files-of-another-program'

/**
 * The usual name of a data folder (runtime/folders.ts); of one that is elsewhere nothing is known
 * by its name.
 */
const dataFolderName = '.countersign'

const unread = async (path: string): Promise<never> => {
  const why = 'is a file of another program, and this service does not read it.'
  throw new WorkspaceProblem('io', path, `${JSON.stringify(path)} ${why}`)
}

/**
 * The workspace of a program that is no run of ours (product.md 46): it may be on any host, so that
 * nothing is known of its files, and none of ours is read in their place.
 */
export const unreadWorkspace: Workspace = {
  root,
  hidden: [],
  state: async (path) => {
    // As where files are read: nobody reads a token of the service, whose tools may be on that very
    // host.
    if (foldPath(path).includes(dataFolderName)) {
      const problem = `${JSON.stringify(path)} belongs to Countersign itself.`
      throw new WorkspaceProblem('hidden', path, problem)
    }
    return { kind: 'unknown', bytes: 0 }
  },
  read: unread,
  copy: unread,
  list: unread,
  write: unread,
  remove: unread,
  move: unread,
}

/**
 * This host, for a command of such a program: programs are found on the fixed `PATH`, and paths are
 * judged as text, since links are the other host's. A program below the workspace is not known, so
 * that it asks.
 */
export function withUnreadFiles(host: CommandHost): CommandHost {
  const executables = new Set<string>()
  return {
    sandboxProblem: host.sandboxProblem,
    async executable(name, cwd) {
      if (name.includes('/')) return null
      const executable = await host.executable(name, cwd)
      if (executable !== null) executables.add(executable.path)
      return executable
    },
    realPath: async (path) => {
      if (executables.has(path)) return host.realPath(path)
      return path.startsWith('/') && !path.includes('\0') ? posix.resolve(path) : null
    },
    gitHas: async () => true,
  }
}
