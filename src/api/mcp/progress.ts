import type { ServerContext } from '@modelcontextprotocol/server'

/** How often a client that waits gets a report of its progress. */
export const progressEveryMs = 5000

/** Reports the seconds of a wait to a client that asked for progress; `null`: it did not. */
export function progressOf({ mcpReq }: ServerContext, totalSeconds: number) {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return null
  return (seconds: number, message: string): void => {
    const params = { progressToken, progress: seconds, total: totalSeconds, message }
    // A disconnected client needs no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
