import { warnOfSignatures } from '../../../services/passkeys/warn-of-signatures.ts'
import { loadProject } from '../../../services/policy/load-project.ts'
import { connectDatabase } from '../../../store/database.ts'
import type { Check } from '../check.ts'

/** Where high risk takes signatures, enough people have a passkey to sign with. */
export const checkSignatures: Check = async ({ folders, databaseUrl }) => {
  const loaded = await loadProject(folders.projectDir)
  if (databaseUrl === null || 'problems' in loaded) return []
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 1,
    applicationName: 'countersign doctor',
  })
  try {
    const warnings = await warnOfSignatures(db, loaded.policy)
    return warnings.map(({ file, line, problem, remedy }) => ({
      check: 'signatures',
      state: 'warning',
      found: `${line === null ? file : `${file}:${line}`}: ${problem}`,
      remedy,
    }))
  } catch {
    // A database without the schema is reported by the check of Postgres.
    return []
  } finally {
    await db.destroy()
  }
}
