import type { Access } from '#domain/tools/access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'

/**
 * The current workspace. Each path that a past call read, changed or removed is assumed to exist,
 * as the kind of file that the call expected. A replay does not ask whether a call could run today.
 */
export function assumeFiles(base: Workspace, accesses: readonly Access[]): Workspace {
  const assumed = new Map(
    accesses
      .filter((access) => access.operation !== 'write')
      .map((access) => [access.path, access.target] as const),
  )
  return {
    root: base.root,
    hidden: [],
    async state(path, options) {
      const kind = assumed.get(path)
      if (kind === undefined) return base.state(path, options)
      try {
        const state = await base.state(path, options)
        return state.kind === 'absent' ? { kind, bytes: 0 } : state
      } catch (error) {
        if (error instanceof WorkspaceProblem && error.code === 'not_found')
          return { kind, bytes: 0 }
        throw error
      }
    },
    read: (path, options) => base.read(path, options),
    list: (path, options) => base.list(path, options),
    copy: refuse,
    write: refuse,
    remove: refuse,
    move: refuse,
  }
}

async function refuse(): Promise<never> {
  throw new TypeError('A replay changes nothing')
}
