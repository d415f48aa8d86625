import { errorCode } from '#domain/error-code.ts'
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'
import { parseJson } from '#domain/json/parse-json.ts'

/** Whether there is something at this path. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/**
 * Makes a folder that somebody named, with those above it. Node's own recursive `mkdir` never
 * returns where no folder can be made, as in /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (!(await exists(dirname(folder)))) await makeFolder(dirname(folder))
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  })
}

/** Whether there is a file at this path that this process may run. */
export function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** The record in a file of JSON; `null`: there is no such file, or it is not a record. */
export async function readJsonRecord<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return schema.safeParse(parseJson(text)).data ?? null
}

/**
 * Writes a file atomically: readers see the old or the new contents, and a link there is replaced.
 * `mode` as for `writeFile`.
 */
export async function writeWhole(
  file: string,
  contents: string | Uint8Array,
  mode: number,
): Promise<void> {
  const half = `${file}.${process.pid}.new`
  // A file that a killed process left would keep its own mode.
  await rm(half, { force: true })
  try {
    await writeFile(half, contents, { mode, flag: 'wx' })
    await rename(half, file)
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
}

/**
 * Writes a file unless it exists; false: it does. It appears complete and on the disk, and of
 * several concurrent processes one writes it. Its folder can be read by the owner only.
 */
export async function writeOnce(
  file: string,
  contents: string | Uint8Array,
  mode: number,
): Promise<boolean> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const half = `${file}.${randomUUID()}.new`
  let isNew = true
  try {
    await writeFlushed(half, contents, mode)
    // The link is atomic and fails if the file exists.
    await link(half, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    isNew = false
  } finally {
    await rm(half, { force: true })
  }
  await flushFolder(folder)
  return isNew
}

/** Writes a file that is on the disk before this resolves. */
export async function writeFlushed(
  file: string,
  contents: string | Uint8Array,
  mode: number,
): Promise<void> {
  await using handle = await open(file, 'w', mode)
  await handle.writeFile(contents)
  await handle.sync()
}

/** Makes a new file in this folder survive a loss of power. */
export async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder)
  await handle.sync()
}
