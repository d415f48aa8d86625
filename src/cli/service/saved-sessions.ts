import { parseObject } from '#domain/json/parse-json.ts'
import { valueIn } from '#domain/json/value-in.ts'
import { isObject } from '#domain/json/is-object.ts'
import { mkdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Environment, readText } from '#runtime/environment.ts'
import { writeWhole } from '#runtime/files.ts'

/** A session that the command line stores, as a browser stores its cookie. */
export interface SavedSession {
  readonly cookie: string
  readonly csrfToken: string
}

/** The file for the sessions of `countersign login`, in the user's own configuration folder. */
export function loginSessionsFile(environment: Environment): string {
  const folder = readText(environment, 'XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return join(folder, 'countersign', 'sessions.json')
}

/**
 * The file for the sessions of `--as`: beside the development token, which no tool of an agent can
 * read.
 */
export function localSessionsFile(runDir: string): string {
  return join(runDir, 'cli-sessions.json')
}

/** The valid sessions of the file; none if it is not JSON. */
async function readSessions(file: string): Promise<Record<string, SavedSession>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return Object.fromEntries(
    Object.entries(parseObject(text) ?? {}).flatMap(([name, one]) =>
      isSession(one) ? [[name, one]] : [],
    ),
  )
}

function isSession(value: unknown): value is SavedSession {
  return (
    isObject(value) && typeof value['cookie'] === 'string' && typeof value['csrfToken'] === 'string'
  )
}

/**
 * The session under this name (a service's origin, or a person's address); `null`: there is none.
 */
export async function savedSession(file: string, name: string): Promise<SavedSession | null> {
  const sessions = await readSessions(file)
  return valueIn(sessions, name) ?? null
}

/** Stores a session in a file that only its owner can read. */
export async function saveSession(
  file: string,
  name: string,
  session: SavedSession,
): Promise<void> {
  const sessions = { ...(await readSessions(file)), [name]: session }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeWhole(file, `${JSON.stringify(sessions)}\n`, 0o600)
}
