import { limits } from '#domain/limits.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import type { AttachedFile } from '#tools/delegation/call-worker.ts'
import { loadExisting } from '#tools/files/load-version.ts'
import { decodeText } from '#tools/presentations/file-kind.ts'
import { quoteText } from '../transcript/result-texts.ts'

/** An attached file as the first message of a run has it. */
export interface ReadFile extends AttachedFile {
  /** `null`: the message only names the file, and `why` is the reason */
  readonly text: string | null
  readonly why: string | null
}

/**
 * Reads attached files for a run: the whole text of those that fit `limits` together; of the others
 * name, size and hash.
 */
export async function readAttached(
  workspace: Workspace,
  paths: readonly string[],
): Promise<readonly ReadFile[]> {
  const read = await Promise.all(
    paths.map(async (path) => {
      const { bytes, hash, content } = await loadExisting(workspace, path)
      return { path, bytes, hash, text: content === null ? null : decodeText(content) }
    }),
  )
  let remainingBytes: number = limits.attachedTextBytes
  return read.map((file) => {
    if (file.text === null) return { ...file, why: 'not shown here' }
    if (file.bytes > remainingBytes)
      return { ...file, text: null, why: 'too large to be shown here' }
    remainingBytes -= file.bytes
    return { ...file, why: null }
  })
}

/** The first message of a run: its task, then the attached files, their texts as quoted data. */
export function withAttached(task: string, files: readonly ReadFile[]): string {
  const attached = files.map(({ path, bytes, hash, text, why }) => {
    const label = `- ${path} (${bytes} bytes, ${hash})`
    if (text === null) return `${label}: ${why ?? 'not shown here'}`
    return `${label}, its content as quoted data: ${quoteText(text)}`
  })
  return [task, ...(attached.length === 0 ? [] : ['', 'Attached files:', ...attached])].join('\n')
}

/** The files as the run lists them, and whether its first message has their text. */
export function listedFiles(files: readonly ReadFile[]): readonly RunAttachment[] {
  return files.map(({ path, bytes, hash, text }) => ({ path, bytes, hash, given: text !== null }))
}

/** A file that was attached to the task of a run. */
export interface RunAttachment extends AttachedFile {
  /** its text is in the first message; `false`: the message only names it */
  readonly given: boolean
}
