import type { Routing, RoutingWhys } from '#domain/deciding/judgement.ts'
import { withNarrowed } from '#domain/policy/narrowed-scopes.ts'
import { bothQuorums, quorumText } from '#domain/deciding/quorum.ts'
import { editsPolicies, risks, type Risk } from '#domain/policy/verdict.ts'

/** The route of a request. `routing` is `null` when there is no queue for it. */
export interface Route {
  readonly risk: Risk
  readonly routing: Routing | null
  /** the entries that decided, for explanations; the first one chose the queue */
  readonly sources: readonly string[]
}

/**
 * A route as strict as both: the first one's queue and times, the quorum of both, the higher risk,
 * and the scopes, edits, self-approval and signature that both allow. Without a queue in one of
 * them there is none.
 */
export function stricterRoute(first: Route, other: Route): Route {
  const risk = last(risks, first.risk, other.risk)
  const sources = [...first.sources, ...other.sources]
  if (first.routing === null || other.routing === null) return { risk, routing: null, sources }
  const routing = stricterRouting(first.routing, other.routing)
  return { risk, routing: { ...routing, why: strictestWhy(first, other, risk) }, sources }
}

function stricterRouting(first: Routing, other: Routing): Routing {
  const quorum = bothQuorums(first.quorum, other.quorum)
  const { steps, narrowed, ...rest } = first
  return {
    ...rest,
    quorum,
    quorumText: quorumText(quorum),
    permitForMs: Math.min(first.permitForMs, other.permitForMs),
    scopes: first.scopes.filter((scope) => other.scopes.includes(scope)),
    edits: last(editsPolicies, first.edits, other.edits),
    selfApproval: first.selfApproval && other.selfApproval,
    signature: last(signatures, first.signature, other.signature),
    ...withNarrowed({ ...other.narrowed, ...narrowed }),
    ...commonSteps(steps, first.queue === other.queue),
  }
}

/** The reasons: the queue's from the first, the risk's from the higher, the quorum's from both. */
function strictestWhy(first: Route, other: Route, risk: Risk): RoutingWhys {
  const [one = {}, two = {}] = [first.routing?.why, other.routing?.why]
  const riskWhy = risk === first.risk ? one.risk : two.risk
  const isSame = first.routing?.quorumText === other.routing?.quorumText
  const both = {
    text: 'as strict as routing and as the default',
    ...(first.sources[0] === undefined ? {} : { source: first.sources[0] }),
  }
  const quorum = isSame ? (one.quorum ?? two.quorum) : both
  return {
    ...(one.queue === undefined ? {} : { queue: one.queue }),
    ...(riskWhy === undefined ? {} : { risk: riskWhy }),
    ...(quorum === undefined ? {} : { quorum }),
  }
}

/** Reminders stay; escalations only where both go to one queue, whose owners configured them. */
function commonSteps(steps: Routing['steps'], sameQueue: boolean): Pick<Routing, 'steps'> {
  const remainingSteps = steps?.filter((step) => sameQueue || step.kind === 'remind') ?? []
  return remainingSteps.length === 0 ? {} : { steps: remainingSteps }
}

const signatures: readonly Routing['signature'][] = ['optional', 'required']

function last<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(one) > order.indexOf(other) ? one : other
}
