import { coversNetwork, domainsText } from '#domain/network/network-access.ts'
import { operations } from '#domain/tools/access.ts'
import { hashJson } from '#domain/json/digest.ts'
import { decidingZones } from '../globs/zones-of-path.ts'
import type { WorkerDefinition, Zone } from '../worker-definition.ts'

/**
 * The abilities of a new worker that its author lacks, each as the end of a sentence; empty when it
 * may be made (product.md 24). Zones are compared at the roots of both workers' zones, so that the
 * new worker reaches no path with more rights than its author.
 */
export function lackingCapabilities(
  creator: WorkerDefinition,
  created: WorkerDefinition,
): readonly string[] {
  const reasons = zonesLacking(creator.zones, created.zones)
  if (created.shell !== null && creator.shell === null) reasons.push('commands (shell)')
  const { network } = created.sandbox
  if (!coversNetwork(creator.sandbox.network, network)) {
    const what = typeof network === 'string' ? network : domainsText(network)
    reasons.push(`the network (sandbox.network: ${what})`)
  }
  // Without commands and servers nothing runs in a sandbox.
  const runsPrograms = created.shell !== null || created.mcpServers.size > 0
  if (runsPrograms && creator.sandbox.required && !created.sandbox.required) {
    reasons.push('commands without a sandbox (write sandbox.required: true)')
  }
  for (const name of created.tools.keys()) {
    if (!creator.tools.has(name)) reasons.push(`the tool ${name}`)
  }
  for (const name of created.workers) {
    if (!creator.workers.includes(name)) reasons.push(`calling the worker ${name}`)
  }
  for (const [name, server] of created.mcpServers) {
    const own = creator.mcpServers.get(name)
    const same = own !== undefined && hashJson(own.transport) === hashJson(server.transport)
    if (!same) reasons.push(`the MCP server ${name}, as it is written`)
  }
  return reasons
}

function zonesLacking(creator: readonly Zone[], created: readonly Zone[]): string[] {
  const roots = new Set([...creator, ...created].map((zone) => zone.root))
  const reasons = [...roots].flatMap((root) =>
    decidingZones(created, root).flatMap((zone) =>
      lackingAt(zone, decidingZones(creator, root), root),
    ),
  )
  return [...new Set(reasons)]
}

function lackingAt(zone: Zone, own: readonly Zone[], root: string): string[] {
  const at = root === '' ? 'the workspace root' : root
  if (own.length === 0) return [`the folder ${at}`]
  const reasons: string[] = []
  if (zone.mode === 'rw' && own.some(({ mode }) => mode === 'ro')) reasons.push(`writing in ${at}`)
  if (own.some(({ suffixes }) => !coversSuffixes(suffixes, zone.suffixes))) {
    reasons.push(`other suffixes in ${at}`)
  }
  if (zone.protected.some((glob) => !own.every((one) => one.protected.includes(glob)))) {
    reasons.push(`protected names in ${at}`)
  }
  for (const operation of operations) {
    const blocked = own.some((one) => one.approval[operation]?.approval === 'blocked')
    if (blocked && zone.approval[operation]?.approval !== 'blocked') {
      reasons.push(`${operation} in ${at}, which is blocked`)
    }
  }
  return reasons
}

function coversSuffixes(own: Zone['suffixes'], other: Zone['suffixes']): boolean {
  if (own === null) return true
  return other !== null && other.every((suffix) => own.some((one) => suffix.endsWith(one)))
}
