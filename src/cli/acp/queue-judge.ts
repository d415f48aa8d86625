import { decideHook, reportHook, type ServiceAddress } from '../hook/answer-hook.ts'
import type { WaitingCalls } from '../hook/waiting/waiting-calls.ts'
import type { CallJudge } from './permission-proxy.ts'

/**
 * Decides the calls of an agent as a hook does: by the policy and people of the service. Without
 * the service every call is denied, and a repeated call continues with its request.
 */
export function queueJudge(of: {
  readonly service: ServiceAddress
  /** the agent's name for people */
  readonly title: string
  readonly root: string
  readonly hostProof: Uint8Array | null
  readonly waitMs: number
  /** calls that waited too long */
  readonly waiting: WaitingCalls
}): CallJudge {
  const { hostProof, root, service, waiting } = of
  const agent = { name: 'acp', title: of.title }
  return {
    decide: (event, cancelled) =>
      decideHook(event, {
        service,
        agent,
        root,
        hostProof,
        waiting,
        onStillWaiting: null,
        cancelled,
        deadline: AbortSignal.timeout(of.waitMs),
      }),
    report: (event) => reportHook(event, { agent, service, waiting }),
  }
}
