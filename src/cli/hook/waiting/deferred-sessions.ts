import { errorCode } from '#domain/error-code.ts'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { writeWhole } from '#runtime/files.ts'

/** A session of Claude Code that ended while a call of it waits for people. */
export interface DeferredSession {
  readonly sessionId: string
  /** the absolute path of the folder in which it began */
  readonly folder: string
  /** the mode in which it ran and is continued */
  readonly permissionMode: string
  /** the address of the service */
  readonly url: string
  readonly requestId: string
  readonly number: number
}

/**
 * The sessions of this person that can be continued: a file for each, in a folder. One process at a
 * time continues a session, and the name of the file then ends with the number of that process.
 */
export class DeferredSessions {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Stores a session. Rejects if that fails, or if the session could not be continued. */
  async add(fields: Readonly<Record<keyof DeferredSession, unknown>>): Promise<void> {
    const session = sessionOf(fields)
    if (session === null) throw new Error('this session cannot be continued')
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeWhole(this.#file(session), JSON.stringify(session), 0o600)
  }

  /** The sessions that no process continues, in the order of their requests. */
  async list(): Promise<readonly DeferredSession[]> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names) await this.#releaseAbandoned(name)
    const files = await readdir(this.#folder).catch(() => [])
    const read = files
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .map(async (name) => readSession(await readFile(join(this.#folder, name), 'utf8')))
    const sessions = await Promise.all(read.map((one) => one.catch(() => null)))
    return sessions
      .filter((session) => session !== null)
      .toSorted((left, right) => left.number - right.number)
  }

  /** Reserves a session for this process. False: another process has it. */
  async claim(session: DeferredSession): Promise<boolean> {
    const file = this.#file(session)
    return rename(file, `${file}.${process.pid}`).then(
      () => true,
      () => false,
    )
  }

  /** Ends the reservation. `isDone`: the session is removed; else it can be continued again. */
  async release(session: DeferredSession, { isDone }: { readonly isDone: boolean }): Promise<void> {
    const file = this.#file(session)
    const ownFile = `${file}.${process.pid}`
    if (isDone) await rm(ownFile, { force: true })
    else await rename(ownFile, file).catch(() => undefined)
  }

  /** Releases the session of a process that no longer runs. */
  async #releaseAbandoned(name: string): Promise<void> {
    const [, hash = '', pid] = /^([0-9a-f]{64})\.(\d+)$/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) return
    await rename(join(this.#folder, name), join(this.#folder, hash)).catch(() => undefined)
  }

  #file({ requestId, sessionId, url }: DeferredSession): string {
    const key = JSON.stringify([url, sessionId, requestId])
    return join(this.#folder, createHash('sha256').update(key).digest('hex'))
  }
}

function readSession(text: string): DeferredSession | null {
  return sessionOf(JSON.parse(text) as Readonly<Record<keyof DeferredSession, unknown>>)
}

/** The members of a session, which become arguments of a program: none may look like an option. */
function sessionOf(
  fields: Readonly<Record<keyof DeferredSession, unknown>>,
): DeferredSession | null {
  const { folder, number, permissionMode, requestId, sessionId, url } = fields
  if (!isName(sessionId) || !isName(permissionMode) || !isName(requestId)) return null
  if (typeof folder !== 'string' || !isAbsolute(folder)) return null
  if (typeof url !== 'string' || typeof number !== 'number') return null
  return { sessionId, folder, permissionMode, url, requestId, number }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^\w[\w-]{0,99}$/.test(value)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
