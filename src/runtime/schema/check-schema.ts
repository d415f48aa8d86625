import {
  describeNewer,
  readMigrations,
  unknownMigrations,
} from '#store/migrating/applied-migrations.ts'
import type { Db } from '#store/database.ts'
import { migrations } from '#store/migrations/index.ts'
import { Refusal } from '../processes/serve-process.ts'

/** Refuses an older database, which lacks columns, and a newer one with unknown changes. */
export async function checkSchema(db: Db): Promise<void> {
  const applied = await readMigrations(db)
  const missing = Object.keys(migrations).filter((name) => !applied.includes(name))
  const unknown = unknownMigrations(applied)
  if (unknown.length > 0) throw new Refusal(describeNewer(unknown))
  if (missing.length > 0) {
    throw new Refusal(`The database lacks ${missing.join(', ')}: run "countersign migrate" first`)
  }
}
