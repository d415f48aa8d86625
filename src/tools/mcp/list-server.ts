import { setTimeout as delay } from 'node:timers/promises'
import { errorMessage } from '#domain/error-message.ts'
import type { McpListing } from './mcp-protocol.ts'
import type { ServerEntry } from './server-entries.ts'

const listTimeoutMs = 90_000
/** How long a list is used again; every call fetches the list once more before it is made. */
const freshMs = 3000
/** The pause before a server that did not answer is tried again. */
const retryAfterMs = 10_000

/** The list, or why there is none in this time; the request for it continues. */
export async function listWithin(
  entry: ServerEntry,
  withinMs: number,
): Promise<McpListing | string> {
  const timeout = new AbortController()
  const late = delay(withinMs, null, { signal: timeout.signal })
  const listing = await Promise.race([listOf(entry).catch(errorMessage), late])
  timeout.abort()
  if (listing !== null) return listing
  entry.isLate = true
  const when = withinMs === 0 ? 'yet' : `within ${withinMs / 1000} seconds`
  return entry.failed ?? `it did not answer ${when}`
}

/** The server's list: the newest one while it is fresh, else asked for again. */
async function listOf(entry: ServerEntry): Promise<McpListing> {
  const age = performance.now() - entry.listedAt
  if (entry.failed !== null && age < retryAfterMs) throw new Error(entry.failed)
  if (entry.listing !== null && (entry.asking || age < freshMs)) return entry.listing
  entry.asking = true
  entry.failed = null
  const listing = entry.host.then((host) =>
    host.request({ do: 'list' }, { timeoutMs: listTimeoutMs, signal: null }),
  )
  entry.listing = listing
  try {
    const answer = await listing
    entry.listedAt = performance.now()
    entry.isLate = false
    return answer
  } catch (error) {
    entry.listing = null
    entry.listedAt = performance.now()
    entry.failed = errorMessage(error)
    entry.isLate = true
    throw error
  } finally {
    entry.asking = false
  }
}
