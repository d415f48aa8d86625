import type { Workspace } from '../../domain/tool.ts'
import { WorkspaceProblem } from '../../domain/workspace-problem.ts'
import type { FoundNames } from '../../sandbox/bwrap/look-for-names.ts'
import { quotedName } from '../../sandbox/raw-names.ts'

/** A file below a protected name as it was; `bytes` are `null` where there was too much to keep. */
interface KeptFile {
  readonly hash: string
  readonly bytes: Uint8Array | null
}

export type KeptNames = ReadonlyMap<string, KeptFile>

const mostKeptBytes = 64 * 1024 * 1024
const mostEntries = 20_000

/**
 * Keeps what protected names hold before a command that no sandbox keeps from writing to them: every regular file, by its
 * path relative to the workspace root. Of `.git` that is only what a command must not change of it.
 */
export async function keepNames(
  workspace: Workspace,
  before: Pick<FoundNames, 'guarded'>,
): Promise<KeptNames> {
  const kept = new Map<string, KeptFile>()
  let room = mostKeptBytes
  for (const at of await filesBelow(workspace, before)) {
    const { bytes, hash } = await workspace.state(at, { hash: true })
    if (hash === undefined) continue
    const fits = bytes <= room
    if (fits) room -= bytes
    kept.set(at, { hash, bytes: fits ? await workspace.read(at, { maxBytes: bytes }) : null })
  }
  return kept
}

/**
 * Puts the files below protected names back as they were, and removes what was added to them: sentences of what a
 * command did, none when it did nothing.
 */
export async function restoreNames(
  workspace: Workspace,
  before: Pick<FoundNames, 'guarded'>,
  kept: KeptNames,
): Promise<string[]> {
  const done: string[] = []
  const now = await filesBelow(workspace, before)
  for (const [at, file] of kept) {
    const word = await attempt(async () => {
      const state = await workspace.state(at, { hash: true })
      if (state.hash === file.hash) return null
      const what = state.kind === 'absent' ? 'removed' : 'changed'
      if (file.bytes === null)
        return `${what}, which could not be put back (its bytes were not kept)`
      await workspace.write(at, file.bytes, state.hash ?? 'absent')
      return `${what}, which was put back`
    })
    if (word !== null) done.push(sentence(at, word))
  }
  for (const at of now) {
    if (kept.has(at)) continue
    const word = await attempt(async () => {
      const { hash } = await workspace.state(at, { hash: true })
      if (hash === undefined) return null
      await workspace.remove(at, hash)
      return 'made, which was removed'
    })
    if (word !== null) done.push(sentence(at, word))
  }
  return done
}

function sentence(at: string, word: string): string {
  const [verb = '', ...rest] = word.split(', ')
  return [`it ${verb} ${quotedName(at)}`, 'part of a protected name', ...rest].join(', ')
}

async function attempt(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof WorkspaceProblem ? error.code : 'unknown'
    return `changed, which could not be put back (${why})`
  }
}

/** The regular files that are, or lie below, a protected name that is there. */
async function filesBelow(
  workspace: Workspace,
  { guarded }: Pick<FoundNames, 'guarded'>,
): Promise<string[]> {
  const files = new Set<string>()
  const waiting = [...guarded].filter(([, { pinned }]) => !pinned).map(([at]) => at)
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { kind } = await workspace.state(at).catch(() => ({ kind: 'other' }) as const)
    if (kind === 'file') files.add(at)
    if (kind !== 'directory') continue
    const room = mostEntries - files.size
    const below = await workspace.list(at, { maxEntries: room }).catch(() => [])
    waiting.push(...below.map(({ name }) => `${at}/${name}`))
  }
  return [...files]
}
