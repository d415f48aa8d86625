import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlannedRevocation, Revocations } from '#domain/statements/row-seals.ts'
import type { Log } from '#services/core/context.ts'

/** When lines that could not be written are written again, without a further revocation. */
const retryMs = 5000
/** One of so many retries that fail is logged: once a minute. */
const retriesPerLog = 12

/**
 * Everything that was ended for good, in `DATA/ledger/revoked.log`: one line each, shared by the
 * processes of the data folder. A line that begins with `from` and a time (milliseconds since 1970)
 * applies from that time on. A look-up reads the file's size, and the lines that were appended
 * since the last one.
 */
export function openRevocations(dataDir: string, log?: Pick<Log, 'error'>): Revocations {
  const folder = join(dataDir, 'ledger')
  const path = join(folder, 'revoked.log')
  /** by kind and id: from when on, in milliseconds since 1970 */
  const revoked = new Map<string, number>()
  /** Lines that are not on the disk yet: they count here, and the next write contains them. */
  let unwritten: readonly string[] = []
  /** retries that failed since the last write that did not */
  let failures = 0
  let readTo = 0
  let rest = ''

  function catchUp(): void {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size <= readTo) return
    const file = openSync(path, 'r')
    try {
      while (readTo < size) {
        const buffer = Buffer.alloc(Math.min(size - readTo, 65_536))
        const bytes = readSync(file, buffer, 0, buffer.length, readTo)
        if (bytes === 0) return
        readTo += bytes
        const lines = (rest + buffer.toString('latin1', 0, bytes)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) addLine(line)
      }
    } finally {
      closeSync(file)
    }
  }

  function addLine(line: string): void {
    const [, first, key, last] = linePattern.exec(line) ?? []
    const fromMs = Number(first ?? last ?? 0)
    // The earliest time counts.
    if (key !== undefined) revoked.set(key, Math.min(fromMs, revoked.get(key) ?? Infinity))
  }

  async function write(): Promise<void> {
    const writing = unwritten
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await using file = await open(path, 'a', 0o600)
    // A line that a crash left incomplete ends here, so that it does not damage the next one.
    await file.appendFile(`\n${writing.join('\n')}\n`)
    await file.datasync()
    const written = new Set(writing)
    unwritten = unwritten.filter((line) => !written.has(line))
    failures = 0
  }

  let isRetrying = false
  function retryLater(): void {
    if (isRetrying) return
    isRetrying = true
    const retry = (): void => {
      isRetrying = false
      if (unwritten.length === 0) return
      write().catch((error: unknown) => {
        failures += 1
        if (failures % retriesPerLog === 0) {
          const lines = unwritten.length
          log?.error({ err: error, lines }, 'revocations still cannot be written to the ledger')
        }
        retryLater()
      })
    }
    setTimeout(retry, retryMs).unref()
  }

  return {
    has({ what, id }) {
      catchUp()
      const fromMs = revoked.get(`${what} ${id}`)
      return fromMs !== undefined && fromMs <= Date.now()
    },
    async add(planned: readonly PlannedRevocation[]) {
      // A text with a space or a line end is not an id: it would make a line of its own here.
      const lines = planned.filter(({ id }) => /^[\x21-\x7e]+$/.test(id)).map(lineOf)
      if (lines.length === 0) return
      for (const line of lines) addLine(line)
      unwritten = [...unwritten, ...lines]
      try {
        await write()
      } catch (error) {
        retryLater()
        throw error
      }
    },
  }
}

/**
 * The time is first, so that such a line, cut by a full disk, is not read as one without a time.
 * Earlier versions wrote the time last: there it counts only with all its digits.
 */
const linePattern = /^(?:from (\d{13}) )?([^ ]+ [^ ]+?)(?: (\d{13}))?$/

function lineOf({ what, id, from }: PlannedRevocation): string {
  const line = `${what} ${id}`
  return from == null ? line : `from ${String(from.getTime()).padStart(13, '0')} ${line}`
}
