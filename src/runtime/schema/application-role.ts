import { grantApplication } from '#store/migrating/application-role.ts'
import type { Db } from '#store/database.ts'
import { readText, type Environment } from '../environment.ts'

/** The address for migrations: the owner's if it is set, else the common one. */
export function migrationUrl(environment: Environment): string | undefined {
  return (
    readText(environment, 'COUNTERSIGN_MIGRATE_DATABASE_URL') ??
    readText(environment, 'DATABASE_URL')
  )
}

/**
 * Grants the role of `DATABASE_URL` its rights, as the owner in `COUNTERSIGN_MIGRATE_DATABASE_URL`.
 * Does nothing where only one role is in use. Returns a sentence about it, or `null`.
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
