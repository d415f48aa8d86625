import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The names of waiting calls, in a folder of this person's own. If an agent makes the same call
 * again, it continues to wait and opens no second request. The file is only a hint: the service
 * compares the whole call.
 */
export class WaitingCalls {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The `externalId` under which such a call waits; `null`: under none. */
  async find(...key: readonly unknown[]): Promise<string | null> {
    const text = await readFile(this.#file(key), 'utf8').catch(() => '')
    return /^[\w.:-]{1,200}$/.test(text) ? text : null
  }

  /** The names under which to ask about a call: that of an equal one which waits, then its own. */
  async namesOf(own: string, ...key: readonly unknown[]): Promise<readonly string[]> {
    const earlier = await this.find(...key)
    return earlier === null || earlier === own ? [own] : [earlier, own]
  }

  /** Stores the name. If that fails, the same call opens a second request later. */
  async remember(externalId: string, ...key: readonly unknown[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => undefined)
    await writeFile(this.#file(key), externalId, { mode: 0o600 }).catch(() => undefined)
  }

  async forget(...key: readonly unknown[]): Promise<void> {
    await rm(this.#file(key), { force: true }).catch(() => undefined)
  }

  #file(key: readonly unknown[]): string {
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex')
    return join(this.#folder, name)
  }
}
