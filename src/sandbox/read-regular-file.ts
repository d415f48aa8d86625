import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** To open a pipe that nobody writes to would wait for ever, and keep a thread of Node's busy. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK

/** The bytes of a file, links resolved; `null` for a pipe, a device or a folder. */
export async function readRegularFile(at: string): Promise<Buffer | null> {
  await using file = await open(at, withoutWaiting)
  return (await file.stat()).isFile() ? await file.readFile() : null
}

/** The text of a file, links resolved; empty for a pipe, a device or a folder. */
export async function readRegularText(at: string): Promise<string> {
  return (await readRegularFile(at))?.toString('utf8') ?? ''
}

/** As `readRegularFile`, for a process in which nothing else waits for this thread. */
export function readRegularFileSync(at: string): Buffer | null {
  const file = openSync(at, withoutWaiting)
  try {
    return fstatSync(file).isFile() ? readFileSync(file) : null
  } finally {
    closeSync(file)
  }
}
