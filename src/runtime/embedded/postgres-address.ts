import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * The owner of an embedded cluster, the role that our parts connect as, and the database in it that
 * is ours.
 */
export const ownerRole = 'countersign'
export const applicationRole = 'countersign_app'
export const databaseName = 'countersign'

/** The owner-only file with the owner's password: beside the folder that was asked for. */
export function passwordFileOf(dataDir: string): string {
  return join(dirname(dataDir), `${basename(dataDir)}.password`)
}

/** The same for the application's. */
export function applicationPasswordFileOf(dataDir: string): string {
  return join(dirname(dataDir), `${basename(dataDir)}.application-password`)
}

/**
 * The address of the embedded Postgres of that folder, as its owner; `null` when it was never made.
 */
export async function embeddedUrl(dataDir: string, port: number): Promise<string | null> {
  const password = await readFile(passwordFileOf(dataDir), 'utf8').catch(() => null)
  return password === null
    ? null
    : `postgres://${ownerRole}:${password.trim()}@127.0.0.1:${port}/${databaseName}`
}
