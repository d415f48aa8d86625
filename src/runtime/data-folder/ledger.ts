import { errorCode } from '#domain/error-code.ts'
import { isUuid } from '#domain/requests/reference-forms.ts'
import { fstatSync, readSync } from 'node:fs'
import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ledger, OnceKey } from '#services/core/ledger.ts'
import { flushFolder } from '../files.ts'

/** A short line is written atomically. No entry of ids is longer. */
const maxLineCharacters = 400
/**
 * The number of days whose files stay in memory. Approvals can wait for weeks, but nearly all calls
 * are recent.
 */
const maxDays = 40
const maxReadBytes = 65_536

/**
 * The ledger in `DATA/ledger`: a file for each day on which the ids were made, a line for each
 * entry. Every process of the data folder appends to the same file, and the first line of a key
 * counts, so that two concurrent processes agree which of them was first.
 */
export function openLedger(dataDir: string): Ledger {
  const folder = join(dataDir, 'ledger')
  const days = new Map<string, DayFile>()
  return {
    async first(key, value) {
      const name = [key.kind, key.id, key.part ?? '-'].join(' ')
      const line = `${name} ${value}`
      const hasParts = /^[\x21-\x7e]+( [\x21-\x7e]+){3}$/.test(line)
      if (!hasParts || !isUuid(value) || line.length > maxLineCharacters) {
        throw new TypeError('A key of the ledger may contain only ids')
      }
      const day = dayOf(key)
      const file = days.get(day) ?? new DayFile(folder, day)
      days.delete(day)
      days.set(day, file)
      for (const [oldest, { busy }] of days) {
        if (days.size <= maxDays) break
        if (busy === 0) days.delete(oldest)
      }
      return file.first(name, value)
    },
  }
}

/** By the time in a UUIDv7; ids without a time share a file. */
function dayOf({ id }: OnceKey): string {
  const hex = id.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{12}7[0-9a-f]{19}$/.test(hex)) return 'undated'
  const at = new Date(Number.parseInt(hex.slice(0, 12), 16))
  return Number.isNaN(at.getTime()) ? 'undated' : at.toISOString().slice(0, 10)
}

class DayFile {
  readonly #folder: string
  readonly #name: string
  readonly #firsts = new Map<string, string>()
  #readTo = 0
  #rest = ''
  #reading: Promise<void> = Promise.resolve()
  /** the number of concurrent operations */
  busy = 0

  constructor(folder: string, day: string) {
    this.#folder = folder
    this.#name = `${day}.log`
  }

  async first(name: string, value: string): Promise<string> {
    this.busy += 1
    let file: FileHandle | null = null
    try {
      file = await this.#open()
      await this.#catchUp(file)
      const before = this.#firsts.get(name)
      // One's own entry may be of a write whose flush failed, and Linux reports that once: only a
      // line that is written anew is sure to be flushed.
      if (before !== undefined && before !== value) return before
      // A line that a crash left incomplete ends here, so that it does not damage the next one.
      await file.appendFile(`\n${name} ${value}\n`)
      await file.datasync()
      await this.#catchUp(file)
      const first = this.#firsts.get(name)
      if (first === undefined) throw new Error('The ledger lost what was written to it')
      return first
    } finally {
      this.busy -= 1
      // The entry is on the disk: nobody needs to wait for the end of the handle.
      file?.close().catch(() => undefined)
    }
  }

  async #open(): Promise<FileHandle> {
    const path = join(this.#folder, this.#name)
    try {
      return await open(path, 'a+', 0o600)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await open(path, 'a+', 0o600)
    } finally {
      if (this.#readTo === 0) await flushFolder(this.#folder)
    }
  }

  /** Reads the lines that any process has appended since; one call after the other. */
  async #catchUp(file: FileHandle): Promise<void> {
    const mine = this.#reading.then(() => this.#read(file))
    this.#reading = mine.catch(() => undefined)
    await mine
  }

  async #read(file: FileHandle): Promise<void> {
    const { size } = fstatSync(file.fd)
    if (size < this.#readTo) throw new Error(`The ledger ${this.#name} was cut off`)
    while (this.#readTo < size) {
      const length = Math.min(size - this.#readTo, maxReadBytes)
      const buffer = Buffer.alloc(length)
      // The last lines are in memory: reading them takes less time than a turn of the thread pool.
      const bytesRead =
        length < maxReadBytes
          ? readSync(file.fd, buffer, 0, length, this.#readTo)
          : (await file.read({ buffer, position: this.#readTo })).bytesRead
      if (bytesRead === 0) return
      this.#readTo += bytesRead
      const lines = (this.#rest + buffer.toString('latin1', 0, bytesRead)).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines) this.#addLine(line)
    }
  }

  #addLine(line: string): void {
    const end = line.lastIndexOf(' ')
    const name = line.slice(0, Math.max(end, 0))
    const entry = line.slice(end + 1)
    // On a full disk a line may end within its entry, and the next one begins after it.
    if (end > 0 && isUuid(entry) && !this.#firsts.has(name)) this.#firsts.set(name, entry)
  }
}
