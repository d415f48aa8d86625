import type { Judgement } from '#domain/deciding/judgement.ts'
import { Problem } from '#domain/problem.ts'
import { Shares } from '#domain/sharing/shares.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { editFile } from '#tools/files/edit-file.ts'
import { writeFile } from '#tools/files/write-file.ts'
import { currentRequest } from '../core/current-request.ts'
import type { Origin, ReportedFile } from '#api/schemas/requests/external.ts'
import { hashBytes } from '#domain/json/digest.ts'
import { unreadWorkspace } from '../engine/judging/unread-files.ts'

/** Large differences take a thread for seconds: limits for all and for one (security.md 37). */
const differences = new Shares({ slots: 8, maxPerCaller: 2, maxWaiting: 100, waitMs: 30_000 })

const changing: readonly Tool[] = [writeFile, editFile]

/**
 * The difference that a write or edit would make to the file that the program reported; `null` for
 * other calls, or without a reported file. Rejects with `invalid_request` when the call could not
 * run on that file. Pure except for threads.
 */
export async function presentReported(
  { input, tool, toolHash, verdict }: Judgement,
  origin: Origin | undefined,
): Promise<Pick<CallPresentation, 'title' | 'presentation'> | null> {
  const files = origin?.files ?? []
  // A tool that has the name of a built-in one by chance may do something else with the same
  // arguments.
  const knownTool = changing.find(
    (candidate) => candidate.name === tool && candidate.definitionHash === toolHash,
  )
  if (knownTool === undefined || verdict !== 'ask') return null
  if (!files.some((file) => file.path === input['path'] && isWhole(file))) return null
  const release = await differences.take(currentRequest.getStore()?.caller)
  try {
    const signal = new AbortController().signal
    return await knownTool.present(input, { workspace: reportedWorkspace(files), signal })
  } catch (error) {
    if (!(error instanceof ToolProblem) && !(error instanceof WorkspaceProblem)) throw error
    const message = `${error.message} That is of the file in origin.files`
    throw new Problem('invalid_request', message, { field: 'input' }, { cause: error })
  } finally {
    release()
  }
}

/** Whether everything that the comparison needs was reported. */
function isWhole({ content, hash }: ReportedFile): boolean {
  return hash === 'absent' || content !== undefined
}

/**
 * The reported files as a workspace for a tool. It has no other file, cannot list names, and reads
 * no file of this host.
 */
function reportedWorkspace(files: readonly ReportedFile[]): Workspace {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return {
    ...unreadWorkspace,
    async state(path) {
      const file = byPath.get(path)
      if (file?.hash === 'absent') return { kind: 'absent', bytes: 0 }
      if (file?.content === undefined) return unreadWorkspace.state(path)
      const bytes = Buffer.from(file.content)
      return { kind: 'file', bytes: bytes.length, hash: hashBytes(bytes) }
    },
    async read(path, options) {
      const content = byPath.get(path)?.content
      return content === undefined ? unreadWorkspace.read(path, options) : Buffer.from(content)
    },
  }
}
