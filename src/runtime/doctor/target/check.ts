import type { Environment } from '../../environment.ts'
import type { Folders } from '../../folders.ts'
import type { TemporalSecurity } from '../../config/temporal-config.ts'

/**
 * The subject of checks: the folders, and the servers of a running installation (else those of the
 * environment).
 */
export interface CheckTarget {
  readonly folders: Folders
  readonly environment: Environment
  readonly databaseUrl: string | null
  readonly temporalAddress: string | null
  readonly temporalNamespace: string
  /** The service should be running: "countersign start" runs here, or the servers are external. */
  readonly isAtWork: boolean
  /** TLS and API key, where Temporal wants them. */
  readonly temporalSecurity: TemporalSecurity
}

export interface Finding {
  /** Stable name, such as `postgres`. */
  readonly check: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** The finding in one sentence. */
  readonly found: string
  /** What to do about it; absent: nothing. */
  readonly remedy?: string
}

/** One possible problem. A check never throws: a failure of the check is its finding. */
export type Check = (target: CheckTarget) => Promise<Finding[]>

/** How long a server may take before it counts as unreachable: a busy machine is slow. */
export const answersWithinMs = 20_000
const slowFromMs = 2_000

/** The finding for a server that answered: slow after two seconds, with what to do. */
export function answeredFinding(check: string, finding: string, tookMs: number): Finding {
  if (tookMs < slowFromMs) return { check, state: 'ok', found: finding }
  const seconds = (tookMs / 1000).toFixed(1)
  return {
    check,
    state: 'warning',
    found: `${finding}, but it took ${seconds} s to answer`,
    remedy: 'nothing is lost: look at what else keeps this machine, its disk or the network busy',
  }
}
