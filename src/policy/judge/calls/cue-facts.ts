import type { NetworkAccess } from '#domain/network/network-access.ts'
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

/** The facts about the run and its host; without a run there is no cue about one. */
export function cueFactsOf(query: PolicyQuery, worker: WorkerDefinition): CueFacts {
  const { cueFacts, tool } = query
  const network = boundedNetwork(query, worker)
  return {
    isOffline: network === 'none',
    domains: network === 'none' ? null : network,
    isFirstUse: cueFacts !== undefined && !cueFacts.usedTools.has(tool),
    outsider: cueFacts?.outsider ?? null,
    isTracked: async (path) => cueFacts !== undefined && cueFacts.isTracked(path),
  }
}
