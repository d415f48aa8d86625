import { warnOfSignatures } from '../../../services/passkeys/warn-of-signatures.ts'
import { loadProject } from '../../../services/policy/load-project.ts'
import { askDatabase } from '../ask-database.ts'
import type { Check } from '../check.ts'

/** Where high risk takes signatures, enough people have a passkey to sign with. */
export const checkSignatures: Check = async (patient) => {
  const loaded = await loadProject(patient.folders.projectDir)
  if ('problems' in loaded) return []
  return askDatabase(patient, async (db) => {
    const warnings = await warnOfSignatures(db, loaded.policy)
    return warnings.map(({ file, line, problem, remedy }) => ({
      check: 'signatures',
      state: 'warning',
      found: `${line === null ? file : `${file}:${line}`}: ${problem}`,
      remedy,
    }))
  })
}
