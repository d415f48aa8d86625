import { binarySize } from '#domain/text/binary-size.ts'
import { limits } from '#domain/limits.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { fileVersion, type FileVersion } from '../presentations/file-change.ts'

/**
 * The file at a path with its bytes, unless it is too large to be shown; `null` when nothing is
 * there.
 */
export async function loadVersion(workspace: Workspace, path: string): Promise<FileVersion | null> {
  return versionOf(workspace, path, await workspace.state(path))
}

/**
 * As `loadVersion`, for a file that will be written. Refuses a name that none may be made under:
 * see `requireWritable`.
 */
export async function loadReplaced(
  workspace: Workspace,
  path: string,
): Promise<FileVersion | null> {
  return versionOf(workspace, path, await requireWritable(workspace, path))
}

async function versionOf(
  workspace: Workspace,
  path: string,
  state: FileState,
): Promise<FileVersion | null> {
  if (state.kind === 'absent') return null
  if (state.kind === 'file' && state.bytes > limits.writeBytes) {
    const hashed = await workspace.state(path, { hash: true })
    return { hash: hashed.hash ?? '', bytes: hashed.bytes, content: null }
  }
  return fileVersion(await workspace.read(path, { maxBytes: limits.writeBytes }))
}

/** As `loadVersion`, for a file that must be there. */
export async function loadExisting(workspace: Workspace, path: string): Promise<FileVersion> {
  const version = await loadVersion(workspace, path)
  if (version !== null) return version
  throw new WorkspaceProblem('not_found', path, `${JSON.stringify(path)} does not exist.`)
}

/**
 * The state that a path must still have: what the request recorded, or for a call without a request
 * what is there now.
 */
export async function expectedBase(
  context: Pick<ExecuteContext, 'workspace' | 'facts'>,
  path: string,
): Promise<string> {
  const recorded = context.facts.bases.find((base) => base.path === path)
  if (recorded !== undefined) return recorded.hash
  const state = await context.workspace.state(path, { hash: true })
  if (state.kind === 'absent') return 'absent'
  if (state.hash !== undefined) return state.hash
  // No regular file: opening it says what it is instead.
  await context.workspace.read(path, { maxBytes: 0, start: 0 })
  throw new ToolProblem(`${JSON.stringify(path)} is not a regular file.`)
}

/**
 * Refuses a name that no file may be made under: a clash by case, or something that is no regular
 * file. Answers what is there.
 */
export async function requireWritable(workspace: Workspace, path: string): Promise<FileState> {
  const state = await workspace.state(path, { clash: true })
  const quoted = JSON.stringify(path)
  if (state.clash !== undefined) {
    const clash = JSON.stringify(state.clash)
    throw new WorkspaceProblem('case_clash', path, `${quoted} differs only by case from ${clash}.`)
  }
  if (state.kind !== 'absent') await workspace.read(path, { maxBytes: 0, start: 0 })
  return state
}

/** Over the bound of one write: an error that names it (security.md 24). */
export function requireWriteSize(bytes: number): void {
  if (bytes <= limits.writeBytes) return
  throw new ToolProblem(
    `The content has ${bytes} bytes; one write may have at most ${limits.writeBytes} (${binarySize(limits.writeBytes)}).`,
  )
}

/** Of a call that would write what is there: see `Tool.unchanged`. */
export function sameBytes(path: string, bytes: number): string {
  return `${path} holds exactly these ${bytes} bytes, and nothing was written`
}
