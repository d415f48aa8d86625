import { hashJson } from '#domain/json/digest.ts'
import type { GatewayServer } from '../project-config.ts'
import type { Policy } from '../policy.ts'
import type { WorkerDefinition } from '../worker-definition.ts'
import { defaultModelSettings } from './read-model-settings.ts'

/** No worker file has a colon in its name. */
const prefix = 'gateway:'

/** The name of the worker for the calls of a server at `/mcp/NAME`. */
export function gatewayWorkerName(server: string): string {
  return `${prefix}${server}`
}

/**
 * The version with a worker for each server that programs use: it has only that server's tools, so
 * that judging, pins and sandbox work as for every worker. It is in no list, and starts no run.
 */
export function withGatewayWorkers(policy: Policy): Policy {
  const { mcpServers } = policy.config
  if (mcpServers.size === 0) return policy
  const served = [...mcpServers.values()].map(gatewayWorker)
  const workers = new Map([...policy.workers, ...served.map((one) => [one.name, one] as const)])
  return { ...policy, workers }
}

function gatewayWorker({ server, queue, zones, sandbox }: GatewayServer): WorkerDefinition {
  const name = gatewayWorkerName(server.name)
  return {
    name,
    digest: hashJson({ name }),
    text: '',
    script: null,
    description: '',
    model: '',
    settings: defaultModelSettings,
    instructions: '',
    queue,
    limits: { turns: 0, calls: 0, tokens: 0, costUsd: null },
    startableBy: [],
    conversation: false,
    restForMs: 0,
    startApproval: null,
    input: null,
    zones,
    sandbox,
    shell: null,
    tools: new Map(),
    workers: [],
    mcpServers: new Map([[server.name, server]]),
  }
}
