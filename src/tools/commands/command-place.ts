import type { Policy, WorkerDefinition } from '../../policy/policy.ts'
import type { FoundSandbox } from '../../sandbox/bwrap/find-sandbox.ts'

/** What this host has for commands. */
export interface CommandSite {
  readonly sandbox: FoundSandbox
  /** absolute; does not exist for commands */
  readonly dataDir: string
  readonly projectDir: string
}

/** For whom and where commands run. */
export interface CommandPlace extends CommandSite {
  readonly policy: Policy
  readonly worker: WorkerDefinition
}

/** The sandbox of this worker's commands, as the model is told of it: `a sandbox without a network`. */
export function sandboxWords({ worker }: CommandPlace): string {
  return worker.sandbox.network === 'allow'
    ? 'a sandbox with a network'
    : 'a sandbox without a network'
}
