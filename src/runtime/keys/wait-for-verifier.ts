import type { SealKeys } from '#domain/statements/row-seals.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Environment } from '../environment.ts'
import { loadVerifier } from './public-keys.ts'
import { loadSealKeys } from './seal-keys.ts'
import { waitUntil } from '../processes/wait-until.ts'

const firstStartTimeoutMs = 30_000

/**
 * Waits a short time for the public keys, because at the first start the API makes the key while
 * the Temporal worker starts. Throws the error of `loadVerifier` if there is still none.
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

/** Waits for the keys that seal rows in the same way. */
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
