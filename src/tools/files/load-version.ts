import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { limits } from '#domain/limits.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { FileState, Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { fileVersion, type FileVersion } from '../presentations/file-change.ts'

/** The file at a path, with its bytes unless it is too large; `null`: there is none. */
export async function loadVersion(workspace: Workspace, path: string): Promise<FileVersion | null> {
  return versionOf(workspace, path, await workspace.state(path))
}

/**
 * As `loadVersion`, for a file that will be written. Refuses a name under which no file may be
 * created: see `requireWritable`.
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

/** As `loadVersion`, for a file that must exist. */
export async function loadExisting(workspace: Workspace, path: string): Promise<FileVersion> {
  const version = await loadVersion(workspace, path)
  if (version !== null) return version
  throw new WorkspaceProblem('not_found', path, `${JSON.stringify(path)} does not exist.`)
}

/**
 * The state that a path must still have: the one in the request, or for a call without a request
 * the present one.
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
  // Not a regular file: opening it returns the refusal.
  await context.workspace.read(path, { maxBytes: 0, start: 0 })
  throw new ToolProblem(`${JSON.stringify(path)} is not a regular file.`)
}

/**
 * Refuses a name under which no file may be created: a clash by case, or something other than a
 * regular file. Returns what exists.
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

/** Throws an error that names the bound of one write (security.md 24). */
export function requireWriteSize(bytes: number): void {
  if (bytes <= limits.writeBytes) return
  throw new ToolProblem(
    `The content has ${bytes} bytes; one write may have at most ${limits.writeBytes} (${binarySize(limits.writeBytes)}).`,
  )
}

/** For a call that would write the existing bytes: see `Tool.whyUnchanged`. */
export function sameBytes(path: string, bytes: number): string {
  return `${path} holds exactly these ${bytes} bytes, and nothing was written`
}
