import { errorMessage } from '#domain/error-message.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import type { ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import { quotedName } from '#sandbox/names/raw-names.ts'

/** A file below a protected name before the command; `bytes`: `null` for too many. */
interface StoredFile {
  readonly hash: string
  readonly bytes: Uint8Array | null
}

export type StoredNames = ReadonlyMap<string, StoredFile>

const maxStoredBytes = 64 * 1024 * 1024
const maxEntries = 20_000

/**
 * Stores the contents of protected names before a command without a sandbox: every regular file, by
 * its path relative to the workspace root. Of `.git` only the parts that a command must not change.
 */
export async function storeNames(
  workspace: Workspace,
  before: Pick<ZoneNames, 'guarded'>,
): Promise<StoredNames> {
  const storedFiles = new Map<string, StoredFile>()
  let room = maxStoredBytes
  for (const at of await filesBelow(workspace, before)) {
    const { bytes, hash } = await workspace.state(at, { hash: true })
    if (hash === undefined) continue
    const fits = bytes <= room
    if (fits) room -= bytes
    storedFiles.set(at, {
      hash,
      bytes: fits ? await workspace.read(at, { maxBytes: bytes }) : null,
    })
  }
  return storedFiles
}

/**
 * Restores the files below protected names, and removes what was added to them. Returns a sentence
 * for each change of the command.
 */
export async function restoreNames(
  workspace: Workspace,
  before: Pick<ZoneNames, 'guarded'>,
  storedFiles: StoredNames,
): Promise<string[]> {
  const sentences: string[] = []
  const now = await filesBelow(workspace, before)
  for (const [at, file] of storedFiles) {
    const change = await attempt(async () => {
      const state = await workspace.state(at, { hash: true })
      if (state.hash === file.hash) return null
      const what = state.kind === 'absent' ? 'removed' : 'changed'
      if (file.bytes === null)
        return `${what}, which could not be put back (its bytes were not kept)`
      await workspace.write(at, file.bytes, state.hash ?? 'absent')
      return `${what}, which was put back`
    })
    if (change !== null) sentences.push(sentence(at, change))
  }
  for (const at of now) {
    if (storedFiles.has(at)) continue
    const change = await attempt(async () => {
      const { hash } = await workspace.state(at, { hash: true })
      if (hash === undefined) return null
      await workspace.remove(at, hash)
      return 'made, which was removed'
    })
    if (change !== null) sentences.push(sentence(at, change))
  }
  return sentences
}

function sentence(at: string, change: string): string {
  const [verb = '', ...rest] = change.split(', ')
  return [`it ${verb} ${quotedName(at)}`, 'part of a protected name', ...rest].join(', ')
}

async function attempt(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work()
  } catch (error) {
    // Only a refusal of the workspace says that nothing was done.
    return error instanceof WorkspaceProblem
      ? `changed, which could not be put back (${error.code})`
      : `changed, which may not have been put back (${errorMessage(error)})`
  }
}

/** The regular files that are, or lie below, an existing protected name. */
async function filesBelow(
  workspace: Workspace,
  { guarded }: Pick<ZoneNames, 'guarded'>,
): Promise<string[]> {
  const files = new Set<string>()
  const queue = [...guarded].filter(([, { pinned }]) => !pinned).map(([at]) => at)
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const { kind } = await workspace.state(at).catch(() => ({ kind: 'other' }) as const)
    if (kind === 'file') files.add(at)
    if (kind !== 'directory') continue
    const room = maxEntries - files.size
    const below = await workspace.list(at, { maxEntries: room }).catch(() => [])
    queue.push(...below.map(({ name }) => `${at}/${name}`))
  }
  return [...files]
}
