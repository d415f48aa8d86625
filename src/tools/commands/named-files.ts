import path from 'node:path'
import type { Workspace } from '../../domain/tool.ts'
import { WorkspaceProblem } from '../../domain/workspace-problem.ts'
import { decidingZones } from '../../policy/judge/consent/zones-of-path.ts'
import type { Zone } from '../../policy/policy.ts'

/** A regular file of a zone that a command names. */
export interface NamedFile {
  /** relative to the workspace root */
  readonly path: string
  readonly bytes: number
  readonly hash: string
}

/**
 * The regular files in zones that the words of commands name, as operands or behind a `=`, with their hashes (product.md
 * 14). Links are not followed: what they lead to is another name.
 */
export async function namedFiles(
  workspace: Workspace,
  zones: readonly Zone[],
  cwd: string,
  words: readonly string[],
): Promise<NamedFile[]> {
  const found = new Map<string, NamedFile>()
  for (const word of words) {
    for (const text of [word, word.slice(word.indexOf('=') + 1)]) {
      const at = placeOf(workspace.root, cwd, text)
      if (at === null || found.has(at) || decidingZones(zones, at).length === 0) continue
      const state = await stateOf(workspace, at)
      if (state?.hash !== undefined) {
        found.set(at, { path: at, bytes: state.bytes, hash: state.hash })
      }
    }
  }
  return [...found.values()]
}

/** Where a word points to below the workspace root, or `null`. */
function placeOf(root: string, cwd: string, text: string): string | null {
  if (text === '' || text.startsWith('-')) return null
  const at = path.isAbsolute(text)
    ? path.relative(root, path.normalize(text))
    : path.normalize(path.join(cwd, text))
  return at === '' || at === '.' || at === '..' || at.startsWith('../') ? null : at
}

async function stateOf(workspace: Workspace, at: string) {
  try {
    const state = await workspace.state(at, { hash: true })
    return state.kind === 'file' ? state : null
  } catch (error) {
    if (error instanceof WorkspaceProblem) return null
    throw error
  }
}
