import { domainsText } from '#domain/network/network-access.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'

/** What this host provides for commands. */
export interface CommandSite {
  readonly sandbox: HostSandbox
  /** absolute; hidden from commands */
  readonly dataDir: string
  readonly projectDir: string
  /** the parts of this host's environment that Git gets for a remote; absent: none */
  readonly gitEnvironment?: Readonly<Record<string, string>>
}

/** A worker, and the host that runs its commands. */
export interface CommandPlace extends CommandSite {
  readonly policy: Policy
  readonly worker: WorkerDefinition
}

/** Where this worker's commands run, for the model: `in a sandbox without a network`. */
export function sandboxWords({ sandbox, worker }: CommandPlace): string {
  if (!sandbox.works) return 'on a host where no sandbox works'
  const { network } = worker.sandbox
  if (network === 'none') return 'in a sandbox without a network'
  if (network === 'allow') return 'in a sandbox with a network'
  return `in a sandbox that reaches only ${domainsText(network)}, by the HTTP proxy that its environment names`
}
