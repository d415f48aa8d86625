import type { CallFacts } from '#domain/requests/request.ts'
import { isChange, type Access } from '#domain/tools/access.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'

/** The state of a file in the form of `CallFacts`; `null` for anything that cannot be compared. */
async function baseOf(workspace: Workspace, path: string): Promise<string | null> {
  try {
    const state = await workspace.state(path, { hash: true })
    if (state.kind === 'absent') return 'absent'
    return state.kind === 'file' ? (state.hash ?? null) : null
  } catch (error) {
    if (error instanceof WorkspaceProblem) return null
    throw error
  }
}

/** The first path that differs from what the request showed, or `null` (product.md 14). */
export async function changedBase(workspace: Workspace, facts: CallFacts): Promise<string | null> {
  for (const base of facts.bases) {
    if ((await baseOf(workspace, base.path)) !== base.hash) return base.path
  }
  return null
}

/**
 * The current state of the files that a call without a request would change: its own writes compare
 * with them.
 */
export async function basesNow(
  workspace: Workspace,
  accesses: readonly Access[],
): Promise<CallFacts['bases']> {
  const bases: { path: string; hash: string }[] = []
  for (const access of accesses) {
    if (!isChange(access) || access.target !== 'file') continue
    const hash = await baseOf(workspace, access.path)
    if (hash !== null) bases.push({ path: access.path, hash })
  }
  return bases
}
