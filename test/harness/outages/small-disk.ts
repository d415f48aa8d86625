import { execFile } from 'node:child_process'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** More than Postgres and Temporal write in a run of the test. */
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

  /**
   * Leaves not a byte for so long: the disk becomes as small as its files are. To fill two
   * gigabytes and to free them takes a second of processor time, a hundred times.
   */
  async fill(forMs: number): Promise<void> {
    const until = performance.now() + forMs
    try {
      while (performance.now() < until) {
        const { blocks, bavail, bsize } = await statfs(this.#folder)
        // Refused when something was written meanwhile: then it is measured again.
        if (bavail > 0) await this.#resize(`${(blocks - bavail) * bsize}`).catch(() => undefined)
        await delay(20)
      }
    } finally {
      await this.#resize(`${megabytes}m`)
    }
  }

  async #resize(size: string): Promise<void> {
    await run('mount', ['-o', `remount,size=${size}`, this.#folder])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['-l', this.#folder])
    await rm(this.#folder, { recursive: true, force: true })
  }
}
