import { posix } from 'node:path'
import type { CommandHost } from '#domain/tools/command.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { dataFolderName } from '#sandbox/hidden-paths.ts'
import { foldPath } from '#policy/names/fold-name.ts'

/** Not a folder of this host: paths are only joined to it as text. */
const root = '/files-of-another-program'

const unread = async (path: string): Promise<never> => {
  const why = 'is a file of another program, and this service does not read it.'
  throw new WorkspaceProblem('io', path, `${JSON.stringify(path)} ${why}`)
}

/**
 * The workspace of a program that is not a run (product.md 46). The program may be on any host: its
 * files are unknown, and no file of this host is read instead.
 */
export const unreadWorkspace: Workspace = {
  root,
  hidden: [],
  state: async (path) => {
    // The same refusal as for files that are read: the tool may run on the service's host, where
    // the data folder has the service's tokens. One elsewhere cannot be recognised by its name.
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
 * judged as text, since links are on the other host. Programs below the workspace are unknown, so
 * that they ask.
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
    nestsRepositories: async () => true,
  }
}
