import { domainsText } from '#domain/network/network-access.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { HostSandbox } from '#sandbox/bwrap/find-sandbox.ts'

/** What this host has for commands. */
export interface CommandSite {
  readonly sandbox: HostSandbox
  /** absolute; does not exist for commands */
  readonly dataDir: string
  readonly projectDir: string
  /** what Git gets of this host's environment when it speaks to a remote; absent: nothing */
  readonly gitEnvironment?: Readonly<Record<string, string>>
}

/** The worker and the host that a command runs for and on. */
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
