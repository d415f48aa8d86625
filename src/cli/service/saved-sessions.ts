import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Environment, readText } from '../../runtime/environment.ts'

/** What `countersign login` keeps for a service: a session, as a browser keeps its cookie. */
export interface SavedSession {
  readonly cookie: string
  readonly csrfToken: string
}

function sessionsFile(environment: Environment): string {
  const folder = readText(environment, 'XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return join(folder, 'countersign', 'sessions.json')
}

async function readSessions(environment: Environment): Promise<Record<string, SavedSession>> {
  try {
    return JSON.parse(await readFile(sessionsFile(environment), 'utf8')) as Record<
      string,
      SavedSession
    >
  } catch {
    return {}
  }
}

/** The session for this service's origin, when there is one. */
export async function savedSession(
  environment: Environment,
  origin: string,
): Promise<SavedSession | null> {
  const sessions = await readSessions(environment)
  return Object.hasOwn(sessions, origin) ? (sessions[origin] ?? null) : null
}

/** Keeps a session in a file that only its owner can read. */
export async function saveSession(
  environment: Environment,
  origin: string,
  session: SavedSession,
): Promise<void> {
  const file = sessionsFile(environment)
  const sessions = { ...(await readSessions(environment)), [origin]: session }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, `${JSON.stringify(sessions)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
