import type { Policy } from '#policy/policy.ts'
import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import type { ServiceContext } from '../../core/context.ts'
import { hashOfServer } from '#tools/mcp/server-hash.ts'
import { readPin } from './read-pin.ts'

/**
 * Whether the version in force can be activated again: a server has changed its tools, or the pins
 * are not the signed ones.
 */
export async function needsActivation(
  ctx: Pick<ServiceContext, 'db' | 'verifier'>,
  policy: Policy,
  activation: number,
): Promise<boolean> {
  for (const worker of withGatewayWorkers(policy).workers.values()) {
    for (const server of worker.mcpServers.values()) {
      const key = { worker: worker.name, name: server.name, hash: hashOfServer(server) }
      const pin = await readPin(ctx, activation, key)
      if (pin.state === 'forged' || (pin.state === 'pinned' && pin.changedAt !== null)) return true
    }
  }
  return false
}
