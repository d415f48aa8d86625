import { waitUntil } from '../processes/wait-until.ts'

const timeoutMs = 30_000

/**
 * Waits a short time for keys, because at the first start the API makes them while the Temporal
 * worker starts. Throws the error of `load` if there are still none.
 */
export async function waitForKeys<Keys>(load: () => Promise<Keys> | Keys): Promise<Keys> {
  const tryToLoad = async (): Promise<Keys> => load()
  const keys = await waitUntil(() => tryToLoad().catch(() => null), { timeoutMs, everyMs: 100 })
  return keys ?? load()
}
