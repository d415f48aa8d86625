import { patienceMs, waitForServer } from '../processes/wait-for-server.ts'

/**
 * Refusals by Temporal itself (gRPC: invalid argument, not found, permission denied,
 * unauthenticated) will not pass.
 */
const finalCodes: ReadonlySet<unknown> = new Set([3, 5, 7, 16])

/** Asks Temporal until it answers: two minutes at most, then throws what to do. */
export function waitForTemporal<T>(
  { address, stopping }: { readonly address: string; readonly stopping: AbortSignal },
  ask: () => Promise<T>,
): Promise<T> {
  return waitForServer({
    name: `Temporal at ${address}`,
    ask,
    mayPass: (error) => !finalCodes.has((error as { code?: unknown }).code),
    remedy: 'start it, or check TEMPORAL_ADDRESS; decisions are recorded meanwhile',
    patienceMs,
    stopping,
  })
}
