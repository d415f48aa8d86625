import { Client } from 'pg'
import { errorMessage } from '#domain/error-message.ts'
import { unknownMigrations } from '#store/migrating/applied-migrations.ts'
import { migrations } from '#store/migrations/index.ts'
import {
  type Check,
  type Finding,
  type CheckTarget,
  answeredFinding,
  answersWithinMs,
} from '../target/check.ts'

const oldestVersion = 160_000

/** Postgres answers, is new enough, and has this version's schema. */
export const checkPostgres: Check = async (target: CheckTarget) => {
  if (target.databaseUrl === null) {
    return [
      { check: 'postgres', state: 'ok', found: 'not running; "countersign start" brings its own' },
    ]
  }
  const client = new Client({
    connectionString: target.databaseUrl,
    connectionTimeoutMillis: answersWithinMs,
  })
  client.on('error', () => undefined)
  try {
    const startedAt = performance.now()
    await client.connect()
    const version = await checkVersion(client)
    const tookMs = performance.now() - startedAt
    const finding =
      version.state === 'ok' ? answeredFinding('postgres', version.found, tookMs) : version
    return [finding, await checkSchema(client)]
  } catch (error) {
    return [
      {
        check: 'postgres',
        state: 'problem',
        found: `Postgres does not answer: ${errorMessage(error)}`,
        remedy:
          'nothing is decided and nothing executes until it does: start it, or check DATABASE_URL',
      },
    ]
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function checkVersion(client: Client): Promise<Finding> {
  const { rows } = await client.query<{ version: string; number: string }>(
    "select current_setting('server_version') as version, current_setting('server_version_num') as number",
  )
  const version = rows[0]?.version ?? 'unknown'
  if (Number(rows[0]?.number ?? 0) >= oldestVersion)
    return { check: 'postgres', state: 'ok', found: `Postgres ${version}` }
  return {
    check: 'postgres',
    state: 'problem',
    found: `Postgres ${version} is too old`,
    remedy: 'upgrade it to version 16 or newer',
  }
}

async function checkSchema(client: Client): Promise<Finding> {
  const ownMigrations = Object.keys(migrations)
  const { rows } = await client
    .query<{ name: string }>('select name from kysely_migration')
    .catch(() => ({ rows: [] as { name: string }[] }))
  const applied = rows.map((row) => row.name)
  const missing = ownMigrations.filter((name) => !applied.includes(name))
  const unknown = unknownMigrations(applied)
  if (missing.length > 0) {
    return {
      check: 'schema',
      state: 'problem',
      found: `the database lacks ${missing.join(', ')}`,
      remedy: 'run "countersign migrate"',
    }
  }
  if (unknown.length > 0) {
    return {
      check: 'schema',
      state: 'problem',
      found: `the database was migrated by a newer version (${unknown.join(', ')})`,
      remedy: 'run that newer version: this one must not write there',
    }
  }
  return { check: 'schema', state: 'ok', found: 'the schema is up to date' }
}
