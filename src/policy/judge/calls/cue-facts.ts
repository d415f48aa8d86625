import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { CueFacts } from '../../cues/cues-of-call.ts'
import type { WorkerDefinition } from '../../worker-definition.ts'
import type { PolicyQuery } from './policy-query.ts'

/** The network of a command of this call, where its sandbox bounds it; else `null`. */
export function boundedNetwork(
  { commandHost, runsHere }: PolicyQuery,
  worker: WorkerDefinition,
): Exclude<NetworkAccess, 'allow'> | null {
  const { network } = worker.sandbox
  const isConfined = runsHere !== false && commandHost?.sandboxProblem === null
  return isConfined && network !== 'allow' ? network : null
}

/**
 * The facts about the run and its host; without a run there is no cue about one. A question runs no
 * program, so its first use says nothing.
 */
export function cueFactsOf(
  query: PolicyQuery,
  worker: WorkerDefinition,
  { name, needsPerson }: Pick<Tool, 'name' | 'needsPerson'>,
): CueFacts {
  const { cueFacts } = query
  const network = boundedNetwork(query, worker)
  return {
    isOffline: network === 'none',
    domains: network === 'none' ? null : network,
    isFirstUse: cueFacts?.usedTools.has(name) === false && needsPerson !== 'answer',
    outsider: cueFacts?.outsider ?? null,
    isTracked: async (path) => cueFacts !== undefined && cueFacts.isTracked(path),
  }
}
