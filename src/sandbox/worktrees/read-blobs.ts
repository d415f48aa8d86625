import { hostGitBytes, hostGitText, type GitRun } from './host-git.ts'
import { gitOf } from './merge-commits.ts'
import { readRecord } from './worktree-record.ts'

/** The most bytes of one object that are read, and of all together. */
const mostBytes = { object: 8 * 1024 * 1024, together: 32 * 1024 * 1024 }

/**
 * The bytes of objects of a worktree's repository, by their hashes. Left out: what is too large,
 * and what the repository does not have.
 */
export async function readBlobs(
  folder: string,
  objects: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const record = objects.length === 0 ? null : await readRecord(folder)
  if (record === null) return new Map()
  const run = gitOf(folder, record)
  let together = 0
  const small = [...(await sizesOfBlobs(run, objects))].flatMap(([object, size]) => {
    if (size > mostBytes.object) return []
    together += size
    return together > mostBytes.together ? [] : [object]
  })
  if (small.length === 0) return new Map()
  const bytes = await hostGitBytes(['cat-file', '--batch'], { ...run, stdin: lines(small) })
  const blobs = new Map<string, Buffer>()
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf(10, at) + 1
    const [object = '', , size] = bytes.toString('latin1', at, start - 1).split(' ')
    const end = start + Number(size)
    if (start === 0 || !(end <= bytes.length)) break
    blobs.set(object, bytes.subarray(start, end))
    at = end + 1
  }
  return blobs
}

/** The number of bytes of each object of a repository that is there and has the bytes of a file. */
export async function sizesOfBlobs(
  run: GitRun,
  objects: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (objects.length === 0) return new Map()
  const text = await hostGitText(['cat-file', '--batch-check'], { ...run, stdin: lines(objects) })
  const rows = text.split('\n').map((line) => line.split(' '))
  return new Map(
    rows.flatMap(([object = '', kind, size]) => (kind === 'blob' ? [[object, Number(size)]] : [])),
  )
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join('')
}
