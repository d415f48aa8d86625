import type { Verifier } from '../domain/statements/statement-bytes.ts'
import type { Environment } from './environment.ts'
import { loadVerifier } from './keys/public-keys.ts'
import { waitUntil } from './processes/wait-until.ts'

const FIRST_START_MS = 30_000

/**
 * The public keys, waited for a little: at the very first start the API makes the key while the
 * Temporal worker starts beside it. Throws the sentence of `loadVerifier` when there is none by then.
 */
export async function waitForVerifier(
  dataDir: string,
  environment: Environment,
): Promise<Verifier> {
  const verifier = await waitUntil(() => loadVerifier(dataDir, environment).catch(() => null), {
    timeoutMs: FIRST_START_MS,
    everyMs: 100,
  })
  return verifier ?? loadVerifier(dataDir, environment)
}
