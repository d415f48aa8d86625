import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sealKeyOf, type SealKeys } from '#domain/statements/row-seals.ts'
import { readText, type Environment } from '../environment.ts'
import { keyFolder, refuseReadable } from './key-files.ts'
import { readOnChange } from './read-on-change.ts'
import { exists, writeOnce } from '../files.ts'

/** Keys of API and Temporal workers only, in a folder that can be mounted alone. */
function sealKeyFile(dataDir: string): string {
  return join(keyFolder(dataDir), 'shared', 'seal.key')
}

/** Makes the key unless it exists; of two concurrent processes, the first wins. */
export async function createSealKeyOnce(dataDir: string, environment: Environment): Promise<void> {
  const file = sealKeyFile(dataDir)
  if (readText(environment, 'COUNTERSIGN_SEAL_KEY') !== undefined || (await exists(file))) return
  await writeOnce(file, `${randomBytes(32).toString('base64')}\n`, 0o600)
}

/**
 * The keys with which API and Temporal workers seal rows: from the file, read again when it
 * changes, or from `COUNTERSIGN_SEAL_KEY`; base64, one after the other. The first seals, all of
 * them verify. Throws when there is none.
 */
export function loadSealKeys(dataDir: string, environment: Environment): () => SealKeys {
  const configured = readText(environment, 'COUNTERSIGN_SEAL_KEY')
  if (configured !== undefined) {
    const keys = parseKeys(configured, 'COUNTERSIGN_SEAL_KEY')
    return () => keys
  }
  const file = sealKeyFile(dataDir)
  const look = readOnChange(file, () => {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) {
      throw new Error(
        `no seal key: start the API once with this data folder (${dataDir}), or set COUNTERSIGN_SEAL_KEY to the same value for every API and Temporal worker: head -c 32 /dev/urandom | base64`,
      )
    }
    refuseReadable(file, stats.mode)
    return parseKeys(readFileSync(file, 'utf8'), file)
  })
  look()
  return look
}

function parseKeys(text: string, source: string): SealKeys {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => Buffer.from(part, 'base64'))
  const [first, ...others] = keys
  if (first === undefined || keys.some((key) => key.length < 32)) {
    throw new Error(`${source} does not hold keys of 32 bytes in base64`)
  }
  return [sealKeyOf(first), ...others.map(sealKeyOf)]
}
