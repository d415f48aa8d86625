import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { secretName } from '#policy/names/secret-names.ts'

/** A file that a call names, in its present state. */
export interface FileReport {
  readonly path: string
  readonly hash: string
  readonly content?: string
}

/** A larger file is not even hashed, because the call waits for it. */
const hashedBytes = 64 * 1024 * 1024

/**
 * The regular files of the workspace among the paths, with hash and, if they are text of limited
 * size, contents; for `written` paths also the fact that there is no file. Environment and key
 * files are left out, and links are not followed.
 */
export async function reportFiles(
  workspace: Workspace,
  paths: readonly string[],
  written: string | null,
): Promise<readonly FileReport[]> {
  const reports: FileReport[] = []
  let left = limits.originFilesBytes
  for (const path of new Set(paths)) {
    if (reports.length === limits.originFiles) break
    const report = await reportFile(workspace, path, { isWritten: path === written, left })
    if (report === null) continue
    reports.push(report)
    left -= Buffer.byteLength(report.content ?? '')
  }
  return reports
}

async function reportFile(
  workspace: Workspace,
  path: string,
  { isWritten, left }: { readonly isWritten: boolean; readonly left: number },
): Promise<FileReport | null> {
  if (secretName(path) !== null || Buffer.byteLength(path) > limits.pathBytes) return null
  try {
    const { kind, bytes } = await workspace.state(path)
    if (kind === 'absent') return isWritten ? { path, hash: 'absent' } : null
    if (kind !== 'file' || bytes > hashedBytes) return null
    if (bytes > Math.min(left, limits.originFileBytes)) {
      const { hash } = await workspace.state(path, { hash: true })
      return hash === undefined ? null : { path, hash }
    }
    const read = await workspace.read(path, { maxBytes: limits.originFileBytes })
    const content = textOf(read)
    const hash = hashBytes(read)
    return content === null || read.length > left ? { path, hash } : { path, hash, content }
  } catch {
    // A name that leads elsewhere, or a file that changes meanwhile, is left out.
    return null
  }
}

/** `null` unless the bytes are exactly the UTF-8 of a text without NUL. */
function textOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8')
  return !text.includes('\0') && Buffer.from(text).equals(bytes) ? text : null
}
