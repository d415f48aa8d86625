import { isDeepStrictEqual } from 'node:util'
import type { Policy } from '../../../policy/policy.ts'
import { builtInToolNames } from '../../../policy/worker/built-in-tool-names.ts'
import type { StoredCall } from './stored-calls.ts'

/**
 * Why nobody can say what a version makes of a call, as a sentence; `null` when it can be judged. A replay loads no code
 * and starts no server but those of the version in force, and narrows zones only by a lineage that is signed.
 */
export function whyNotJudged(policy: Policy, inForce: Policy, call: StoredCall): string | null {
  if (call.lineage === null) {
    return 'a signed statement of this run, or of one above it, does not hold: nothing says whose zones narrow its own'
  }
  const worker = policy.workers.get(call.worker)
  if (worker === undefined || builtInToolNames.includes(call.tool)) return null
  if (!call.tool.startsWith('mcp__')) {
    const isSame = isDeepStrictEqual(policy.toolFiles, inForce.toolFiles)
    if (isSame || !worker.tools.has(call.tool)) return null
    return `its tool files are not those in force, and ${call.tool} has a word in its verdict`
  }
  const server = [...worker.mcpServers.values()].find(({ name }) =>
    call.tool.startsWith(`mcp__${name}__`),
  )
  if (server === undefined) return null
  const running = inForce.workers.get(call.worker)?.mcpServers.get(server.name)
  if (isDeepStrictEqual(running?.transport, server.transport)) return null
  return `its MCP server ${server.name} is not the one in force, and is not started to be asked for ${call.tool}`
}
