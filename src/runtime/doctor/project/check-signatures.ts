import { warnOfSignatures } from '#services/policy/warn-of-signatures.ts'
import { loadProject } from '#services/policy/read-project.ts'
import { askDatabase } from '../target/open-servers.ts'
import type { Check } from '../target/check.ts'

/** Where high risk needs signatures, enough people have a passkey. */
export const checkSignatures: Check = async (target) => {
  const loaded = await loadProject(target.folders.projectDir)
  if ('problems' in loaded) return []
  return askDatabase(target, async (db) => {
    const warnings = await warnOfSignatures(db, loaded.policy)
    return warnings.map(({ file, line, problem, remedy }) => ({
      check: 'signatures',
      state: 'warning',
      found: `${line === null ? file : `${file}:${line}`}: ${problem}`,
      remedy,
    }))
  })
}
