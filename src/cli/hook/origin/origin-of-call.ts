import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { CallOrigin } from '#program-client'
import { hostProof } from '#domain/requests/host-proof.ts'
import { limits } from '#domain/limits.ts'
import { openWorkspace } from '#sandbox/workspace.ts'
import type { HookedCall } from '#domain/hooks/call-of-event.ts'
import { gitState } from './git-state.ts'
import { reportFiles } from './reported-files.ts'
import { isAbsolute, posix, relative, sep } from 'node:path'

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
