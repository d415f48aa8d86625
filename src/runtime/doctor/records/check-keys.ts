import { join } from 'node:path'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { errorMessage } from '#domain/error-message.ts'
import { readText } from '../../environment.ts'
import { loadVerifier } from '../../keys/public-keys.ts'
import { findRetiring } from '../../keys/rotate-signing-key.ts'
import { signingKeyFile } from '../../keys/signing-key.ts'
import { askDatabase } from '../target/open-servers.ts'
import type { Check, Finding, CheckTarget } from '../target/check.ts'
import { exists } from '../../files.ts'

/** Signatures can be verified here: the keys of the activations in the database are known. */
export const checkKeys: Check = async (target) => {
  const { dataDir } = target.folders
  const hasSigner =
    readText(target.environment, 'COUNTERSIGN_SIGNING_KEY') !== undefined ||
    (await exists(signingKeyFile(dataDir)))
  let publicKeys: ReadonlyMap<string, unknown>
  try {
    publicKeys = (await loadVerifier(dataDir, target.environment)).publicKeys
  } catch (error) {
    const state = hasSigner ? 'problem' : 'warning'
    return [
      {
        check: 'keys',
        state,
        found: errorMessage(error),
        remedy:
          'the API makes its key when it first starts; afterwards keep keys/ with your backups',
      },
    ]
  }
  const [marked] = await findRetiring(dataDir)
  if (marked !== undefined) {
    return [
      {
        check: 'keys',
        state: 'problem',
        found: `key ${marked} is marked as compromised, and still counts`,
        remedy:
          'start the API, which retires it; if it still signs with it: countersign rotate-key signing --compromised',
      },
    ]
  }
  const used = await usedKeys(target)
  const missing = used.filter((id) => !publicKeys.has(id))
  const finding: Finding =
    missing.length === 0
      ? {
          check: 'keys',
          state: 'ok',
          found: `${countWords(publicKeys.size, 'public key')} known`,
        }
      : {
          check: 'keys',
          state: 'problem',
          found: `the policy in force was signed with key ${missing.join(', ')}, which is not known here: every execution is refused`,
          remedy: `restore ${join(dataDir, 'keys')} from the backup, or activate the policy again to sign it with the present key`,
        }
  return [finding]
}

function usedKeys(target: CheckTarget): Promise<string[]> {
  return askDatabase(target, async (db) => {
    const newest = await db
      .selectFrom('policy_activation')
      .select('key_id')
      .orderBy('sequence', 'desc')
      .limit(1)
      .execute()
    return newest.map((row) => row.key_id)
  })
}
