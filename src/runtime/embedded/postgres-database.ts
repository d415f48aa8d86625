import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { writeWhole } from '../files.ts'
import { applicationPasswordFileOf, applicationRole, databaseName } from './postgres-address.ts'

/**
 * Makes the database and the application's role in an embedded Postgres, unless they exist. `url`
 * is the owner's, without a database. Returns the role's password, which is stored in an owner-only
 * file next to the folder.
 */
export async function ensureDatabase(url: string, dataDir: string): Promise<string> {
  const password = await ensurePassword(applicationPasswordFileOf(dataDir))
  const client = new Client({ connectionString: `${url}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const databases = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ])
    if (databases.rowCount === 0) await client.query(`create database ${databaseName}`)
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [applicationRole])
    if (roles.rowCount === 0) await client.query(`create role ${applicationRole}`)
    // The alphabet of the password needs no quoting.
    await client.query(`alter role ${applicationRole} login password '${password}'`)
  } finally {
    await client.end()
  }
  return password
}

async function ensurePassword(file: string): Promise<string> {
  const storedPassword = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (/^[\w-]{20,}$/.test(storedPassword)) return storedPassword
  const password = randomBytes(24).toString('base64url')
  await writeWhole(file, `${password}\n`, 0o600)
  return password
}
