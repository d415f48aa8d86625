import type { CommandHost } from '#domain/tools/command.ts'
import { ownLineProblem } from '#domain/tools/commit-identity.ts'
import { domainsText } from '#domain/network/network-access.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { Policy } from '../../policy.ts'
import { judgeCommand, type CommandVerdict } from './judge-command.ts'
import type { CanonicalCall } from '../calls/canonical-call.ts'
import { judgeCapability } from './capability.ts'
import { boundedNetwork } from '../calls/cue-facts.ts'
import type { PolicyQuery } from '../calls/policy-query.ts'
import { whyUnread } from '../../shell/blocked-commands.ts'
import { commitMessages } from '../../cues/commit-messages.ts'
import { unreachableAddress } from '../../cues/unreachable-address.ts'
import { tokensOf } from '../routing/command-traits.ts'

/** An unknown host has no sandbox and no programs. */
const unknownHost: CommandHost = {
  sandboxProblem: 'this host is not known to have a sandbox',
  executable: async () => null,
  realPath: async () => null,
  gitHas: async () => true,
  nestsRepositories: async () => true,
}

/**
 * Step 3 for a command: its folder is inside of a zone, and the sandbox that the worker requires
 * works. Returns the problem as a sentence for the model, or `null`.
 */
export async function refusedCommand(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
): Promise<string | null> {
  if (call.command === null) return null
  const { cwd } = call.command.input
  const folder = { operation: 'read', path: cwd, target: 'directory' } as const
  const capability = await judgeCapability(worker, query.workspace, [folder])
  if ('error' in capability) return `cwd: ${capability.error}`
  if (capability.touched.some(({ state }) => state.kind === 'absent')) {
    return `cwd: ${JSON.stringify(cwd)} does not exist`
  }
  const { sandboxProblem } = query.commandHost ?? unknownHost
  if (!worker.sandbox.required || sandboxProblem === null) return null
  return `The worker ${worker.name} runs commands in a sandbox only, and this host has none that works: ${sandboxProblem}`
}

/**
 * Why a command that asks could not succeed, as a sentence for the model, before anybody is asked
 * (workers-and-policy.md, shell rules; details.md, trailers); `null` when it might.
 */
export function impossibleCommand(
  query: PolicyQuery,
  worker: WorkerDefinition,
  { command }: CanonicalCall,
): string | null {
  if (command === null || query.runsHere !== true) return null
  for (const message of commitMessages(command)) {
    const problem = ownLineProblem(message)
    if (problem !== null) return problem
  }
  const network = boundedNetwork(query, worker)
  if (network === null) return null
  const address = unreachableAddress(command, network)
  if (address === null) return null
  const reached = network === 'none' ? 'have no network' : `reach only ${domainsText(network)}`
  return `The command needs ${JSON.stringify(address)}, and commands of the worker ${worker.name} ${reached} (sandbox.network): it cannot succeed`
}

/** Step 4 for a command: the verdict of the worker's shell rules. `null` for other calls. */
export async function commandVerdict(
  query: PolicyQuery,
  worker: WorkerDefinition,
  call: CanonicalCall,
): Promise<CommandVerdict | null> {
  if (call.command === null) return null
  if (worker.shell === null) {
    const text = `worker ${worker.name} has no shell rules: no command may run`
    const rule = { id: 'shell:none', text, source: null }
    return { approval: 'blocked', rule, reason: null, printed: null, lines: [], printedLines: [] }
  }
  return judgeCommand(worker.shell, call.command, {
    host: query.commandHost ?? unknownHost,
    workspace: query.workspace,
    cwd: call.command.input.cwd,
    zones: worker.zones,
  })
}

/**
 * Why a command's text does not show everything that it would run, where something is blocked: a
 * mode that approves automatically would run a blocked command (product.md 21), so it leaves the
 * call to people. A sentence; `null` when the text shows everything, or nothing is blocked.
 */
export function unreadCommand(
  policy: Policy,
  worker: WorkerDefinition,
  call: CanonicalCall,
): string | null {
  if (call.command === null || worker.shell === null) return null
  const { rules, default: otherwise } = worker.shell
  const patterns = [
    ...rules.flatMap(({ consent, pattern }) => (consent.approval === 'blocked' ? [pattern] : [])),
    ...policy.config.overlays.flatMap(({ consent, when }) =>
      consent.approval === 'blocked' ? (when.command ?? []).map(tokensOf) : [],
    ),
  ]
  // Cues raise a command's risk: one that cannot be read may have any risk.
  const blocksRisk = policy.config.overlays.some(
    ({ consent, when }) => consent.approval === 'blocked' && when.risk !== null,
  )
  if (patterns.length === 0 && otherwise !== 'blocked' && !blocksRisk) return null
  return whyUnread(patterns, call.command)
}
