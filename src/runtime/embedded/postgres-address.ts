import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** An embedded cluster's owner, role of API and Temporal workers, and database. */
export const ownerRole = 'countersign'
export const applicationRole = 'countersign_app'
export const databaseName = 'countersign'

/** The owner-only file with the owner's password, next to the folder. */
export function passwordFileOf(dataDir: string): string {
  return join(dirname(dataDir), `${basename(dataDir)}.password`)
}

/** The same for the application's. */
export function applicationPasswordFileOf(dataDir: string): string {
  return join(dirname(dataDir), `${basename(dataDir)}.application-password`)
}

/** The address of the folder's embedded Postgres, as its owner; `null` when there is no cluster. */
export async function embeddedUrl(dataDir: string, port: number): Promise<string | null> {
  const password = await readFile(passwordFileOf(dataDir), 'utf8').catch(() => null)
  return password === null
    ? null
    : `postgres://${ownerRole}:${password.trim()}@127.0.0.1:${port}/${databaseName}`
}
