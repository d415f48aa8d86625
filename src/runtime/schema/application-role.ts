import { grantApplication } from '#store/migrating/application-role.ts'
import type { Db } from '#store/database.ts'
import { readText, type Environment } from '../environment.ts'

/**
 * The address that migrations use: the owner's where one is named, else the one that everything
 * uses.
 */
export function migrationUrl(environment: Environment): string | undefined {
  return (
    readText(environment, 'COUNTERSIGN_MIGRATE_DATABASE_URL') ??
    readText(environment, 'DATABASE_URL')
  )
}

/**
 * Gives the role of `DATABASE_URL` its rights, as the owner that `COUNTERSIGN_MIGRATE_DATABASE_URL`
 * names. Nothing is done where only one role is in use. Resolves with what was done,
 * `null`: nothing that needs to be said.
 */
export async function grantToApplication(db: Db, environment: Environment): Promise<string | null> {
  const role = roleOf(readText(environment, 'DATABASE_URL'))
  const owner = roleOf(readText(environment, 'COUNTERSIGN_MIGRATE_DATABASE_URL'))
  if (role === null || owner === null || role.name === owner.name) return null
  const isNew = await grantApplication(db, role)
  return isNew ? `made the role ${role.name}` : null
}

function roleOf(url: string | undefined): { name: string; password: string | null } | null {
  if (url === undefined) return null
  const { username, password } = new URL(url)
  if (username === '') return null
  return {
    name: decodeURIComponent(username),
    password: password === '' ? null : decodeURIComponent(password),
  }
}
