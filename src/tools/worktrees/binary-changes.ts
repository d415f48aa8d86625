import { hostGitText, type GitRun } from '#sandbox/worktrees/host-git.ts'

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
  const found: { readonly path: string; readonly before: string; readonly after: string }[] = []
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
      found.push({ path, before: sides[0], after: sides[1] })
    }
  }
  const sizes = await sizesOf(git, found)
  const side = (object: string): Side =>
    none.test(object) ? null : { bytes: sizes.get(object) ?? 0, object }
  return found.map(({ path, before, after }) => ({
    path,
    before: side(before),
    after: side(after),
  }))
}

async function sizesOf(
  git: GitRun,
  found: readonly { readonly before: string; readonly after: string }[],
): Promise<ReadonlyMap<string, number>> {
  const objects = [...new Set(found.flatMap(({ before, after }) => [before, after]))]
  if (objects.length === 0) return new Map()
  const stdin = objects.map((object) => `${object}\n`).join('')
  const words = ['cat-file', '--batch-check=%(objectname) %(objectsize)']
  const lines = (await hostGitText(words, { ...git, stdin })).split('\n')
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]))
}
