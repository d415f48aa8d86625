import { connectDatabase, type Db } from '../../store/database.ts'
import type { Patient } from './check.ts'

/**
 * What `ask` finds in the patient's database; nothing where there is none. Nothing either where it does not answer or has no
 * schema: the check of Postgres reports that.
 */
export async function askDatabase<Found>(
  { databaseUrl }: Pick<Patient, 'databaseUrl'>,
  ask: (db: Db) => Promise<Found[]>,
): Promise<Found[]> {
  if (databaseUrl === null) return []
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'countersign doctor',
  })
  try {
    return await ask(db)
  } catch {
    return []
  } finally {
    await db.destroy()
  }
}
