import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isAbsolute, posix, relative, sep } from 'node:path'
import type { CallOrigin } from '#program-client'
import { hostProof } from '#domain/requests/host-proof.ts'
import { limits } from '#domain/limits.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import type { HookedCall } from '#domain/hooks/call-of-event.ts'
import { hashBytes } from '#domain/json/digest.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { secretName } from '#policy/names/secret-names.ts'
import { gitState } from './git-state.ts'

/** A file that a call names, in its present state. */
interface FileReport {
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
async function reportFiles(
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

const gitWithinMs = 1500
/** The rest of the service's limit for a body belongs to the other fields. */
const maxBytes = limits.httpBodyBytes - 256 * 1024

/**
 * Where an agent makes a call: host, folder, Git and the files that the call names, in their
 * present state, with the proof of the folder if this host's service gives a key (product.md 46).
 * `null` if the folder cannot be read.
 */
export async function originOfCall(
  call: HookedCall,
  {
    key,
    program,
    root,
  }: { readonly key: Uint8Array | null; readonly program: string; readonly root: string },
): Promise<CallOrigin | null> {
  const folder = await realpath(root).catch(() => null)
  if (folder === null || folder.length > limits.originFolderCharacters) return null
  const [git, files] = await Promise.all([
    gitState(folder, gitWithinMs).catch(() => null),
    filesOf(call, root, folder).catch(() => []),
  ])
  const origin: CallOrigin = {
    program,
    host: hostname().slice(0, 255) || 'unknown',
    folder,
    ...(git === null ? {} : { git }),
    ...(files.length === 0 ? {} : { files }),
    ...(key === null ? {} : { proof: hostProof(key, folder) }),
  }
  const isSmall = Buffer.byteLength(JSON.stringify({ call, origin })) <= maxBytes
  return isSmall ? origin : { ...origin, files: files.map(({ hash, path }) => ({ path, hash })) }
}

async function filesOf(call: HookedCall, root: string, folder: string) {
  const workspace = await openWorkspace({ root: folder, hidden: ['.countersign'] })
  return reportFiles(workspace, namedPaths(call, root), writtenPath(call))
}

const maxWords = 100

/**
 * The paths that a call names, relative to the workspace root: its own path, also under the names
 * of Claude Code's tools, or every word of a command that could be a path. Another function checks
 * whether the files exist. Pure.
 */
function namedPaths({ input, tool }: HookedCall, root: string): readonly string[] {
  const { command, cwd, path } = input
  if (tool === 'shell' && typeof command === 'string') {
    const folder = typeof cwd === 'string' ? cwd : ''
    const words = command.split(/[\s'"`;|&<>()$=]+/).filter((word) => /^[^-/~]/.test(word))
    return words.slice(0, maxWords).flatMap((word) => within(posix.join(folder, word)))
  }
  return [path, input['file_path'], input['notebook_path']].flatMap((named) => {
    if (typeof named !== 'string') return []
    const below = isAbsolute(named) ? relative(root, named).split(sep).join('/') : named
    return within(posix.normalize(below))
  })
}

/** The path that the call writes; `null` if it writes none. Pure. */
function writtenPath({ input, tool }: HookedCall): string | null {
  const writes = tool === 'write_file' || tool === 'edit_file'
  return writes && typeof input['path'] === 'string' ? input['path'] : null
}

function within(path: string): readonly string[] {
  const outside = path === '.' || path === '..' || path.startsWith('../') || path.startsWith('/')
  return outside ? [] : [path]
}
