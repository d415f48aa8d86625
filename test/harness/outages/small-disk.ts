import { execFile } from 'node:child_process'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** More than Postgres and Temporal write in a run of any test. */
const megabytes = 2048

/** A file system of its own for a folder, which can be full for a while. */
export class SmallDisk implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Mounts it; `null` where mounting is not permitted. */
  static async at(folder: string): Promise<SmallDisk | null> {
    await mkdir(folder, { recursive: true })
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder])
      return new SmallDisk(folder)
    } catch {
      return null
    }
  }

  /** Leaves not a byte for so long. */
  async fill(forMs: number): Promise<void> {
    await this.whileFull(() => delay(forMs))
  }

  /**
   * Leaves not a byte while it works: the disk becomes as small as its files are. To fill two
   * gigabytes and to free them takes a second of processor time, a hundred times.
   */
  async whileFull<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.#shrink()
      const over = new AbortController()
      const shrinking = this.#keepShrinking(over.signal)
      try {
        return await work()
      } finally {
        over.abort()
        await shrinking
      }
    } finally {
      await this.#resize(`${megabytes}m`)
    }
  }

  async #keepShrinking(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await delay(20, undefined, { signal: over }).catch(() => undefined)
      await this.#shrink()
    }
  }

  async #shrink(): Promise<void> {
    const { blocks, bavail, bsize } = await statfs(this.#folder)
    // No blocks at all would mean no limit.
    if (blocks === bavail) throw new Error('an empty disk cannot be full: write a file first')
    // Refused when something was written meanwhile: then it is measured again.
    if (bavail > 0) await this.#resize(`${(blocks - bavail) * bsize}`).catch(() => undefined)
  }

  async #resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.#folder])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['-l', this.#folder])
    await rm(this.#folder, { recursive: true, force: true })
  }
}
