import { errorCode } from '#domain/error-code.ts'
import { constants, type StatsFs } from 'node:fs'
import { open, statfs, type FileHandle } from 'node:fs/promises'

/** A folder in memory of the sandbox. */
export interface OwnFolder {
  readonly path: string
  /** of all of it */
  readonly bytes: number
}

const { O_DIRECTORY, O_RDONLY } = constants
/** An ending process cannot be read: after so many failures in a row no further try succeeds. */
const maxFailures = 10
const tmpfs = 0x01021994
const pageBytes = 4096

/** The folders in memory of one sandbox, opened from outside of it, to measure them. */
export class OwnFolders {
  readonly #folders: readonly OwnFolder[]
  #handles: readonly FileHandle[] | null = null
  #failures = 0
  #problem: string | null = null

  constructor(folders: readonly OwnFolder[]) {
    this.#folders = folders
  }

  /** why they cannot be measured here: the rest of a sentence */
  get problem(): string | null {
    return this.#problem
  }

  /** Opens them once, through the sandbox's first process. */
  async open(first: number): Promise<void> {
    if (this.#handles !== null) return
    const outcome = await openFolders(first, this.#folders)
    const isFailure = typeof outcome === 'string'
    if (isFailure) this.#failures += 1
    else this.#handles = outcome
    this.#problem = isFailure && this.#failures >= maxFailures ? outcome : null
  }

  /** What they contain; `null` while they are not open. */
  async use(): Promise<{ readonly tmpBytes: number; readonly tmpFiles: number } | null> {
    if (this.#handles === null) return null
    let [tmpBytes, tmpFiles] = [0, 0]
    for (const handle of this.#handles) {
      const { bfree, blocks, bsize, ffree, files } = await statfsOf(handle)
      tmpBytes += (blocks - bfree) * bsize
      tmpFiles += files - ffree
    }
    return { tmpBytes, tmpFiles }
  }

  async close(): Promise<void> {
    const handles = this.#handles ?? []
    this.#handles = null
    await Promise.all(handles.map((handle) => handle.close().catch(() => undefined)))
  }
}

/**
 * Opens the folders once through the sandbox's first process, because after its end another process
 * may have its id. What is opened must be what was mounted. Returns the rest of a sentence when it
 * fails.
 */
async function openFolders(
  first: number,
  folders: readonly OwnFolder[],
): Promise<readonly FileHandle[] | string> {
  const handles: FileHandle[] = []
  try {
    for (const { bytes, path } of folders) {
      handles.push(await open(`/proc/${first}/root${path}`, O_RDONLY | O_DIRECTORY))
      const { blocks, bsize, type } = await statfsOf(handles.at(-1))
      if (type !== tmpfs || Math.abs(blocks * bsize - bytes) > pageBytes) {
        throw Object.assign(new Error(), { code: 'another one' })
      }
    }
    return handles
  } catch (error) {
    await Promise.all(handles.map((handle) => handle.close()))
    const code = errorCode(error) ?? 'unknown'
    return `what is in its folders in memory cannot be seen (${code})`
  }
}

function statfsOf(handle: FileHandle | undefined): Promise<StatsFs> {
  return statfs(`/proc/self/fd/${handle?.fd}`)
}
