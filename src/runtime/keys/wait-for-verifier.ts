import type { SealKeys } from '#domain/statements/row-seals.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Environment } from '../environment.ts'
import { loadVerifier } from './public-keys.ts'
import { loadSealKeys } from './seal-keys.ts'
import { waitUntil } from '../processes/wait-until.ts'

const firstStartTimeoutMs = 30_000

/**
 * The public keys, waited for a little: at the very first start the API makes the key while the
 * Temporal worker starts beside it. Throws the sentence of `loadVerifier` when there is none by
 * then.
 */
export async function waitForVerifier(
  dataDir: string,
  environment: Environment,
): Promise<Verifier> {
  const verifier = await waitUntil(() => loadVerifier(dataDir, environment).catch(() => null), {
    timeoutMs: firstStartTimeoutMs,
    everyMs: 100,
  })
  return verifier ?? loadVerifier(dataDir, environment)
}

/** The keys that seal rows, waited for alike. */
export async function waitForSealKeys(
  dataDir: string,
  environment: Environment,
): Promise<() => SealKeys> {
  const load = async (): Promise<() => SealKeys> => loadSealKeys(dataDir, environment)
  const keys = await waitUntil(() => load().catch(() => null), {
    timeoutMs: firstStartTimeoutMs,
    everyMs: 100,
  })
  return keys ?? load()
}
