import type { MetricsPage } from '#api/context/api.ts'
import { findFreePort } from '../processes/free-port.ts'

/** The metrics of Temporal's SDK, which its native part serves itself. */
export interface SdkMetrics {
  /** where the SDK serves them: a loopback address of this process */
  readonly bindAddress: string
  /** A page with those metrics after its own; without them until the SDK serves them. */
  behind(page: MetricsPage): MetricsPage
}

/** The SDK answers from memory. */
const answerWithinMs = 2_000

/** Chooses a free port of the loopback interface for them. */
export async function placeSdkMetrics(): Promise<SdkMetrics> {
  const bindAddress = `127.0.0.1:${await findFreePort()}`
  const read = async (): Promise<string> => {
    const signal = AbortSignal.timeout(answerWithinMs)
    const response = await fetch(`http://${bindAddress}/metrics`, { signal })
    return response.ok ? response.text() : ''
  }
  return {
    bindAddress,
    behind: ({ contentType, text }) => ({
      contentType,
      async text() {
        const [own, sdk] = await Promise.all([text(), read().catch(() => '')])
        return `${own}${sdk}`
      },
    }),
  }
}
