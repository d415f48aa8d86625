import { limits } from '../../domain/limits.ts'
import type { Workspace } from '../../domain/tool.ts'
import { loadExisting } from '../../tools/files/load-version.ts'
import { decodeText } from '../../tools/presentations/file-kind.ts'
import { quoted } from '../runs/transcript/result-texts.ts'

/** A file as it is handed over. */
export interface AttachedFile {
  readonly path: string
  readonly bytes: number
  readonly hash: string
}

/** An attached file as a run is told of it. */
export interface ReadFile extends AttachedFile {
  /** `null`: it is only named, and `why` says so */
  readonly text: string | null
  readonly why: string | null
}

/** Reads attached files for a run: texts whole while they fit `limits` together, everything else by name, size and hash. */
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
  let left: number = limits.attachedTextBytes
  return read.map((file) => {
    if (file.text === null) return { ...file, why: 'not shown here' }
    if (file.bytes > left) return { ...file, text: null, why: 'too large to be shown here' }
    left -= file.bytes
    return { ...file, why: null }
  })
}

/** What a run is told first: what it is asked, then what is attached, texts as quoted data. */
export function withAttached(asked: string, files: readonly ReadFile[]): string {
  const attached = files.map(({ path, bytes, hash, text, why }) => {
    const named = `- ${path} (${bytes} bytes, ${hash})`
    if (text === null) return `${named}: ${why ?? 'not shown here'}`
    return `${named}, its content as quoted data: ${quoted(text)}`
  })
  return [asked, ...(attached.length === 0 ? [] : ['', 'Attached files:', ...attached])].join('\n')
}

/** The files as they are listed with the run: what they were, and whether their text was given to it. */
export function listedFiles(files: readonly ReadFile[]): readonly RunAttachment[] {
  return files.map(({ path, bytes, hash, text }) => ({ path, bytes, hash, given: text !== null }))
}

/** A file that a run was given with its task. */
export interface RunAttachment extends AttachedFile {
  /** its text was in the first message; otherwise it was named there */
  readonly given: boolean
}
