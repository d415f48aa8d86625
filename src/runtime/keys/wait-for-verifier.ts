import type { SealKeys } from '#domain/statements/row-seals.ts'
import type { Verifier } from '#domain/statements/statement-bytes.ts'
import type { Environment } from '../environment.ts'
import { loadVerifier } from './public-keys.ts'
import { loadSealKeys } from './seal-keys.ts'
import { waitUntil } from '../processes/wait-until.ts'

const firstStartTimeoutMs = 30_000

/**
 * Waits a little for the public keys: at the very first start the API makes the key while the
 * Temporal worker starts. Throws the sentence of `loadVerifier` when there is none by then.
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
