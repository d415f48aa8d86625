import type { Tool } from '#domain/tools/tool.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { overlayOpinions } from './consent/consent.ts'
import { strictest } from './consent/opinion.ts'
import { toolOpinions } from './consent/tool-consent.ts'
import { ownQueue } from './routing/route.ts'

/** Whether policy blocks a tool of an MCP server for all arguments: such a tool is not offered. */
export async function isServerToolBlocked(
  policy: Policy,
  worker: WorkerDefinition,
  tool: Tool,
): Promise<boolean> {
  const { config } = policy
  const call = { tool, input: {}, accesses: [], command: null }
  const traits = {
    tool: tool.name,
    accesses: [],
    worker: worker.name,
    queue: ownQueue(config, worker),
    risk: tool.risk,
    command: null,
  }
  const opinions = [
    ...(await toolOpinions(worker, call)),
    ...overlayOpinions(config.overlays, traits),
  ]
  return strictest(opinions)?.approval === 'blocked'
}
