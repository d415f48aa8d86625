import { hashBytes } from '#domain/json/digest.ts'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { foldPathName } from '#sandbox/names/path-names.ts'

/**
 * A workspace as it will be after the earlier calls of the turn (product.md 15): the real workspace
 * with their proposals. A proposal is a path with the new bytes, or with `null` if the call removes
 * the file. For presentations only: writing rejects.
 */
export function overlayWorkspace(
  base: Workspace,
  proposals: ReadonlyMap<string, Uint8Array | null>,
): Workspace {
  const readOnly = async (): Promise<never> => {
    throw new TypeError('A workspace with proposals laid over it cannot be changed')
  }
  return {
    root: base.root,
    hidden: base.hidden,
    ...(base.worktree === undefined ? {} : { worktree: base.worktree }),

    async state(path, options = {}) {
      // The real state first, so that names and links are judged as they will be when the call
      // runs.
      const real = await base.state(path, options)
      const clash = real.clash ?? (options.clash === true ? proposedClash(proposals, path) : null)
      const state = proposedState(proposals, path, options.hash === true) ?? real
      return { ...state, ...(clash === null ? {} : { clash }) }
    },

    async read(path, options) {
      const proposed = proposals.get(path)
      if (proposed === undefined) return base.read(path, options)
      const quoted = JSON.stringify(path)
      if (proposed === null) {
        throw new WorkspaceProblem('not_found', path, `${quoted} is removed by an earlier call.`)
      }
      const { start, maxBytes } = options
      if (start !== undefined) return proposed.subarray(start, start + maxBytes)
      if (proposed.length <= maxBytes) return proposed
      throw new WorkspaceProblem(
        'too_large',
        path,
        `${quoted} has ${proposed.length} bytes; at most ${maxBytes} can be read at once.`,
      )
    },

    async list(path, options) {
      const proposed = proposedNames(proposals, path)
      const entries = new Map<string, FileState>()
      for (const entry of await realEntries(base, path, options.maxEntries, proposed.size > 0)) {
        entries.set(entry.name, entry.state)
      }
      for (const [name, state] of proposed) {
        if (state.kind === 'absent') entries.delete(name)
        else if (entries.get(name)?.kind !== 'directory') entries.set(name, state)
      }
      return [...entries]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .slice(0, options.maxEntries)
        .map(([name, state]) => ({ name, state }))
    },

    copy: readOnly,
    write: readOnly,
    remove: readOnly,
    move: readOnly,
  }
}

type Proposals = ReadonlyMap<string, Uint8Array | null>

/** A path's state by the proposals: a file, nothing, or a folder for a proposed file. */
function proposedState(proposals: Proposals, path: string, hash: boolean): FileState | null {
  const bytes = proposals.get(path)
  if (bytes === null) return { kind: 'absent', bytes: 0 }
  if (bytes !== undefined) {
    return { kind: 'file', bytes: bytes.length, ...(hash ? { hash: hashBytes(bytes) } : {}) }
  }
  for (const [at, proposed] of proposals) {
    if (proposed !== null && at.startsWith(`${path}/`)) return { kind: 'directory', bytes: 0 }
  }
  return null
}

/** The names that proposals add to, or remove from, one folder. */
function proposedNames(proposals: Proposals, path: string): Map<string, FileState> {
  const prefix = path === '' ? '' : `${path}/`
  const names = new Map<string, FileState>()
  for (const [at, bytes] of proposals) {
    if (!at.startsWith(prefix)) continue
    const [name = '', ...below] = at.slice(prefix.length).split('/')
    if (below.length > 0) {
      if (bytes !== null) names.set(name, { kind: 'directory', bytes: 0 })
    } else {
      names.set(name, proposedState(proposals, at, false) ?? { kind: 'absent', bytes: 0 })
    }
  }
  return names
}

async function realEntries(
  base: Workspace,
  path: string,
  maxEntries: number,
  proposed: boolean,
): Promise<Awaited<ReturnType<Workspace['list']>>> {
  try {
    return await base.list(path, { maxEntries })
  } catch (error) {
    const missing = error instanceof WorkspaceProblem && error.code === 'not_found'
    if (missing && proposed) return []
    throw error
  }
}

/** A name that differs only by case from one that an earlier call makes in the same folder. */
function proposedClash(proposals: Proposals, path: string): string | null {
  const components = path.split('/')
  for (const [at, bytes] of proposals) {
    if (bytes === null) continue
    const others = at.split('/')
    for (const [index, name] of components.entries()) {
      const proposedName = others[index]
      if (proposedName === undefined || foldPathName(proposedName) !== foldPathName(name)) break
      if (proposedName !== name) return proposedName
    }
  }
  return null
}
