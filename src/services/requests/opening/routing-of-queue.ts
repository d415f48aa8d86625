import type { Routing } from '#domain/deciding/judgement.ts'
import { quorumText } from '#domain/deciding/quorum.ts'
import { quorumOf, stepsOf } from '#policy/judge/routing/route.ts'
import type { Queue } from '#policy/project-config.ts'

/** The routing of an outcome check for a call without a request: the queue as it is now. */
export function routingOfQueue(queue: Queue): Routing {
  const quorum = quorumOf(null, queue)
  const { expiresAfterMs, permitForMs, selfApproval, signature, team } = queue
  return {
    queue: queue.name,
    team,
    quorum,
    quorumText: quorumText(quorum),
    expiresAfterMs,
    permitForMs,
    scopes: ['once'],
    edits: 'off',
    selfApproval,
    signature,
    ...stepsOf(queue, quorum),
  }
}
