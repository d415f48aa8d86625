import type { Environment } from '../environment.ts'
import type { Folders } from '../folders.ts'
import type { TemporalSecurity } from '../temporal/temporal-tls.ts'

/** What checks look at: the folders, and the servers as a running installation names them (else the environment). */
export type Patient = {
  folders: Folders
  environment: Environment
  databaseUrl: string | null
  temporalAddress: string | null
  temporalNamespace: string
  /** The service should be at work now: "countersign start" runs here, or the servers are somebody else's. */
  isAtWork: boolean
  /** TLS and API key, where Temporal wants them. */
  temporalSecurity: TemporalSecurity
}

export type Finding = {
  /** Stable name, such as `postgres`. */
  check: string
  state: 'ok' | 'warning' | 'problem'
  /** What was found, in one sentence. */
  found: string
  /** What to do about it; absent when all is well. */
  remedy?: string
}

/** One thing that can be wrong. A check never throws: what it cannot find out is its finding. */
export type Check = (patient: Patient) => Promise<Finding[]>
