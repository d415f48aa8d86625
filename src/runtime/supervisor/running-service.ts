import type { ProcessIdentity } from '../processes/process-identity.ts'

/** A server process that somebody watches. */
export type RunningService = {
  identity: ProcessIdentity
  /** Resolves with the exit code when it has ended, for whatever reason. */
  exited: Promise<number>
  /** The sentence with which it refused to serve any longer; `null` when it did not. */
  refusal?: () => string | null
  /** Ask it to end, wait, kill it when it does not. */
  stop(): Promise<void>
}

/** A process that refuses to serve, with its sentence: starting it again would not help. */
export class ServiceRefused extends Error {
  override name = 'ServiceRefused'
}
