import { execFile } from 'node:child_process'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** More than Postgres and Temporal write in a run of the test. */
const megabytes = 2048

/** A file system of its own for a folder, which can be filled up and freed. */
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
    const filler = join(this.#folder, 'filler')
    const until = performance.now() + forMs
    try {
      for (let part = 0; performance.now() < until; part += 1) {
        const { bavail, bsize } = await statfs(this.#folder)
        if (bavail > 0) {
          await run('fallocate', ['-l', `${bavail * bsize}`, `${filler}.${part}`]).catch(
            () => undefined,
          )
        }
        await delay(20)
      }
    } finally {
      await this.#free()
    }
  }

  async #free(): Promise<void> {
    await run('find', [this.#folder, '-maxdepth', '1', '-name', 'filler.*', '-delete'])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', ['-l', this.#folder])
    await rm(this.#folder, { recursive: true, force: true })
  }
}
