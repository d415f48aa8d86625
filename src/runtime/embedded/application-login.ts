import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { writeWhole } from '../processes/write-whole.ts'
import { APPLICATION, applicationPasswordFileOf } from './postgres-address.ts'

/**
 * Makes the application's role in an embedded Postgres and sets its password, which is kept in an owner-only file beside
 * the folder, also where there was none before. `url` is the owner's, without a database. Answers the password.
 */
export async function ensureApplicationRole(url: string, dataDir: string): Promise<string> {
  const file = applicationPasswordFileOf(dataDir)
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  const password = /^[\w-]{20,}$/.test(kept) ? kept : randomBytes(24).toString('base64url')
  if (password !== kept) await writeWhole(file, `${password}\n`, 0o600)
  const client = new Client({ connectionString: `${url}/postgres` })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_roles where rolname = $1', [APPLICATION])
    if (found.rowCount === 0) await client.query(`create role ${APPLICATION}`)
    // The alphabet of the password needs no quoting.
    await client.query(`alter role ${APPLICATION} login password '${password}'`)
  } finally {
    await client.end()
  }
  return password
}
