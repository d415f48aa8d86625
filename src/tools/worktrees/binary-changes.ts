import type { GitRun } from '#sandbox/worktrees/host-git.ts'
import { sizesOfBlobs } from '#sandbox/worktrees/blob-sizes.ts'

/** One side of a file whose contents a difference leaves out; `null`: it does not exist. */
export type Side = { readonly bytes: number; readonly object: string } | null

/** A changed file that Git treats as binary, so that a difference shows none of its bytes. */
export interface BinaryChange {
  readonly path: string
  readonly before: Side
  readonly after: Side
}

/** The Git options for output that `binaryChanges` parses, after `log` or `diff-tree -r`. */
export const binaryChangesWords = ['--raw', '--numstat', '-z', '--no-renames', '--no-abbrev']

const none = /^0+$/

/**
 * The binary files in Git's output with `binaryChangesWords`, each with sizes and hashes: one NUL
 * byte in a script is enough to exclude it from a difference.
 */
export async function binaryChanges(git: GitRun, printed: string): Promise<BinaryChange[]> {
  const fields = printed.split('\0').filter((field) => field !== '')
  const hashes = new Map<string, readonly [before: string, after: string]>()
  const changes: { readonly path: string; readonly before: string; readonly after: string }[] = []
  for (let at = 0; at < fields.length; at += 1) {
    const field = (fields[at] ?? '').trimStart()
    const [, before = '', after = ''] =
      /^:[0-7]{6} [0-7]{6} ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(field) ?? []
    if (before !== '') {
      at += 1
      hashes.set(fields[at] ?? '', [before, after])
      continue
    }
    const path = /^-\t-\t([^]+)$/.exec(field)?.[1]
    const sides = path === undefined ? undefined : hashes.get(path)
    if (path !== undefined && sides !== undefined) {
      changes.push({ path, before: sides[0], after: sides[1] })
    }
  }
  const objects = changes.flatMap(({ before, after }) => [before, after])
  const sizes = await sizesOfBlobs(git, [...new Set(objects)])
  const side = (object: string): Side =>
    none.test(object) ? null : { bytes: sizes.get(object) ?? 0, object }
  return changes.map(({ path, before, after }) => ({
    path,
    before: side(before),
    after: side(after),
  }))
}
