import { hostGitText, type GitRun } from './host-git.ts'

/** The number of bytes of each object of a repository that is there and has the bytes of a file. */
export async function sizesOfBlobs(
  run: GitRun,
  objects: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (objects.length === 0) return new Map()
  const text = await hostGitText(['cat-file', '--batch-check'], {
    ...run,
    stdin: `${objects.join('\n')}\n`,
  })
  const rows = text.split('\n').map((line) => line.split(' '))
  return new Map(
    rows.flatMap(([object = '', kind, size]) => (kind === 'blob' ? [[object, Number(size)]] : [])),
  )
}
