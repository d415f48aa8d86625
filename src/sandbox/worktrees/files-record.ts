import { randomBytes } from 'node:crypto'
import { appendFile, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { parseJson } from '#domain/json/parse-json.ts'

const entrySchema = z.strictObject({
  /** inode, size and times, which change with the bytes; `null`: there is no file */
  signature: z.string().nullable(),
  /** of its bytes, `sha256:…`; `null`: it was not read */
  hash: z.string().nullable(),
  /** the object of the commit at which the worktree began; `null`: that commit has no such file */
  base: z.string().nullable(),
})

/** A path of a worktree that differs from the commit at which the worktree began. */
export type FileEntry = z.infer<typeof entrySchema>

const recordSchema = z.record(z.string(), entrySchema)
const writtenSchema = z.tuple([z.string(), z.string().nullable().optional()])

const recordIn = (folder: string): string => path.join(folder, 'files.json')
const writtenIn = (folder: string): string => path.join(folder, 'written.jsonl')
const markerIn = (folder: string): string => path.join(folder, 'begun')

/**
 * The paths of a worktree that differed from its first commit after the last command. Relative to
 * the tree. `folder`: that of the worktree in the data folder.
 */
export async function readFilesRecord(folder: string): Promise<ReadonlyMap<string, FileEntry>> {
  const text = await readFile(recordIn(folder), 'utf8').catch(() => '{}')
  return new Map(Object.entries(recordSchema.parse(JSON.parse(text))))
}

async function writeFilesRecord(
  folder: string,
  files: ReadonlyMap<string, FileEntry>,
): Promise<void> {
  const unfinished = `${recordIn(folder)}.${randomBytes(8).toString('hex')}`
  await writeFile(unfinished, JSON.stringify(Object.fromEntries(files)), { mode: 0o600 })
  await rename(unfinished, recordIn(folder))
  await rm(writtenIn(folder), { force: true })
}

/**
 * Records the bytes that a file tool is about to write to a path, so that the change does not count
 * as one of a command. `hash`: of the bytes; `null`: the file is removed; absent: the write failed.
 */
export async function recordWritten(
  folder: string,
  at: string,
  hash?: string | null,
): Promise<void> {
  await appendFile(
    writtenIn(folder),
    // After half a line, which a full disk or a killed process left, this one stays whole.
    `\n${JSON.stringify(hash === undefined ? [at] : [at, hash])}\n`,
    { mode: 0o600 },
  )
}

/** The hash of what file tools last wrote to each path since the last command; `null`: removed. */
export async function readWritten(folder: string): Promise<ReadonlyMap<string, string | null>> {
  const text = await readFile(writtenIn(folder), 'utf8').catch(() => '')
  const written = new Map<string, string | null>()
  for (const line of text.split('\n')) {
    // Half a line is of a write that was not begun, or takes back the hash of one that failed: that
    // hash then stays, and counts only for a file that has these bytes.
    const { data } = writtenSchema.safeParse(parseJson(line))
    if (data === undefined) continue
    const [at, hash] = data
    if (hash === undefined) written.delete(at)
    else written.set(at, hash)
  }
  return written
}

/** The time in which one call may change files of a worktree. */
export interface ChangingCall {
  /** the file system's time when it began, in nanoseconds */
  readonly sinceNs: bigint
  /** whether no other call has been at work in this worktree from the beginning until now */
  isAlone(): Promise<boolean>
  /** stores the state of the files after the call, unless another call has begun meanwhile */
  end(files: ReadonlyMap<string, FileEntry>): Promise<void>
}

/**
 * Records that a call begins which may change files, in a file that `end` removes. After a killed
 * call the file is still there: the changes that the next call finds may then be of the killed one.
 */
export async function beginChanging(folder: string): Promise<ChangingCall> {
  const marker = markerIn(folder)
  const token = randomBytes(16).toString('hex')
  const isFirst = await writeFile(marker, token, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    () => false,
  )
  if (!isFirst) {
    await writeFile(`${marker}.${token}`, token, { mode: 0o600 })
    await rename(`${marker}.${token}`, marker)
  }
  const { ctimeNs } = await lstat(marker, { bigint: true })
  const isNewest = async (): Promise<boolean> =>
    (await readFile(marker, 'utf8').catch(() => null)) === token
  return {
    sinceNs: ctimeNs,
    isAlone: async () => isFirst && (await isNewest()),
    async end(files) {
      if (!(await isNewest())) return
      await writeFilesRecord(folder, files)
      await rm(marker, { force: true })
    },
  }
}
