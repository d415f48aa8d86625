import { hashBytes } from '#domain/json/digest.ts'
import type { FileChange, FileSide } from '#domain/tools/file-change.ts'
import { limits } from '#domain/limits.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { recordWritten } from '#sandbox/worktrees/files-record.ts'
import { lineHashes } from '../presentations/line-hashes.ts'

/**
 * A workspace that records each change made through it, with both sides: the replaced bytes are
 * stored nowhere else.
 */
export function watchChanges(base: Workspace): {
  readonly workspace: Workspace
  readonly changes: readonly FileChange[]
} {
  const changes: FileChange[] = []
  /** Records that no command which runs meanwhile is the author of a change, and makes it. */
  async function changeFiles(
    files: readonly (readonly [path: string, hash: string | null])[],
    change: () => Promise<void>,
  ): Promise<void> {
    const folder = base.worktree?.folder
    if (folder === undefined) return change()
    for (const [at, hash] of files) await recordWritten(folder, at, hash)
    try {
      await change()
    } catch (error) {
      for (const [at] of files) await recordWritten(folder, at)
      throw error
    }
  }
  const workspace: Workspace = {
    root: base.root,
    hidden: base.hidden,
    ...(base.worktree === undefined ? {} : { worktree: base.worktree }),
    state: (path, options) => base.state(path, options),
    read: (path, options) => base.read(path, options),
    copy: (path, to, options) => base.copy(path, to, options),
    list: (path, options) => base.list(path, options),

    async write(path, bytes, expected) {
      const before = await sideOf(base, path, expected)
      const after = { hash: hashBytes(bytes), lines: lineHashes(bytes) }
      await changeFiles([[path, after.hash]], () => base.write(path, bytes, expected))
      changes.push({ path, from: null, before, after })
    },

    async remove(path, expected) {
      const before = await sideOf(base, path, expected)
      await changeFiles([[path, null]], () => base.remove(path, expected))
      changes.push({ path, from: null, before, after: null })
    },

    async move(from, to, expected) {
      const after = await sideOf(base, from, expected.from)
      const before = await sideOf(base, to, expected.to)
      const files = [[from, null] as const, [to, expected.from] as const]
      await changeFiles(files, () => base.move(from, to, expected))
      changes.push({ path: to, from, before, after })
    },
  }
  return { workspace, changes }
}

/** The state of a path before it changes. The change itself decides whether it may change. */
async function sideOf(
  workspace: Workspace,
  path: string,
  hash: string | 'absent',
): Promise<FileSide | null> {
  if (hash === 'absent') return null
  const bytes = await workspace.read(path, { maxBytes: limits.writeBytes }).catch(() => null)
  const isExpected = bytes !== null && hashBytes(bytes) === hash
  return { hash, lines: isExpected ? lineHashes(bytes) : null }
}
