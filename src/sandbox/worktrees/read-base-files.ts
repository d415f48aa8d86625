import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { bytesOfName } from '../names/raw-names.ts'
import { sizesOfBlobs } from './blob-sizes.ts'
import { hostGitText } from './host-git.ts'
import { gitOf } from './merge-commits.ts'
import { readRecord } from './worktree-record.ts'

/** The most bytes of one object that are read, and of all together. */
const maxBytes = { object: 8 * 1024 * 1024, together: 32 * 1024 * 1024 }

/** A file of the commit at which a worktree began. */
export interface FileOfCommit {
  /** as `textOfName` has it */
  readonly path: string
  readonly object: string
}

/**
 * The bytes that Git wrote for files when it made a worktree, by their paths: with the line ends
 * and the encoding that the commit's `.gitattributes` say (`eol=crlf`). Left out: what is too
 * large, no plain file, or not in the repository. Rejects as `hostGit`.
 */
export async function readBaseFiles(
  folder: string,
  files: readonly FileOfCommit[],
): Promise<ReadonlyMap<string, Buffer>> {
  const record = files.length === 0 ? null : await readRecord(folder)
  if (record === null) return new Map()
  const run = gitOf(folder, record)
  const sizes = await sizesOfBlobs(run, [...new Set(files.map(({ object }) => object))])
  let together = 0
  const small = files.filter(({ object }) => {
    const size = sizes.get(object) ?? Infinity
    if (size > maxBytes.object) return false
    together += size
    return together <= maxBytes.together
  })
  if (small.length === 0) return new Map()
  // Git finds no attributes in an empty folder, and takes those of the commit.
  const tree = await mkdtemp(path.join(folder, 'base-'))
  try {
    await hostGitText(['checkout-index', '-z', '--stdin'], {
      ...run,
      cwd: tree,
      environment: { ...run.environment, GIT_WORK_TREE: tree },
      stdin: Buffer.concat(small.map((file) => bytesOfName(`${file.path}\0`))),
    })
    const contents = new Map<string, Buffer>()
    for (const file of small) {
      const at = bytesOfName(path.join(tree, file.path))
      if ((await lstat(at)).isFile()) contents.set(file.path, await readFile(at))
    }
    return contents
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
}
