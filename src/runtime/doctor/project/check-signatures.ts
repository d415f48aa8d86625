import { warnOfNewAddresses } from '#services/policy/warn-of-new-addresses.ts'
import { warnOfSignatures } from '#services/policy/warn-of-signatures.ts'
import { loadProject } from '#services/policy/read-project.ts'
import { askDatabase } from '../target/open-servers.ts'
import type { Check } from '../target/check.ts'

/**
 * Where high risk needs signatures, enough people have a passkey; and nobody has the name of
 * somebody who was at another address.
 */
export const checkSignatures: Check = async (target) => {
  const loaded = await loadProject(target.folders.projectDir)
  if ('problems' in loaded) return []
  return askDatabase(target, async (db) => {
    const signatures = await warnOfSignatures(db, loaded.policy)
    const addresses = await warnOfNewAddresses(db, loaded.policy)
    const warnings = [
      ...signatures.map((warning) => ({ check: 'signatures', ...warning })),
      ...addresses.map((warning) => ({ check: 'people', ...warning })),
    ]
    return warnings.map(({ check, file, line, problem, remedy }) => ({
      check,
      state: 'warning',
      found: `${line === null ? file : `${file}:${line}`}: ${problem}`,
      remedy,
    }))
  })
}
