import type { Routing, WaitingStep } from './judgement.ts'
import { quorumText } from './quorum.ts'
import type { Quorum } from '../requests/request.ts'

/** What a queue says about requests that nobody decides; times in milliseconds from the opening. */
export interface WaitingTimes {
  readonly team: string
  readonly remindAfterMs: readonly number[]
  readonly escalate: readonly { readonly afterMs: number; readonly addTeams: readonly string[] }[]
}

/**
 * The steps of a request in the order of their times; at the same time people are added first, so
 * that they are among those who are reminded. Where the quorum has no place of the queue's own
 * team, nobody could be added to it.
 */
export function waitingSteps(times: WaitingTimes, quorum: Quorum): readonly WaitingStep[] {
  const canEscalate = quorum.any.flat().some((place) => place.team === times.team)
  const escalations = canEscalate ? times.escalate : []
  const steps: WaitingStep[] = [
    ...escalations.map((one) => ({ kind: 'escalate' as const, ...one })),
    ...[...new Set(times.remindAfterMs)].map((afterMs) => ({ kind: 'remind' as const, afterMs })),
  ]
  return steps.toSorted((left, right) => left.afterMs - right.afterMs)
}

/**
 * The routing after an escalation: members of the added teams may fill the places of the queue's
 * own team too. Places of other teams stay theirs, and no place falls away: as many distinct people
 * as before have to agree (product.md 18).
 */
export function escalateRouting(routing: Routing, addTeams: readonly string[]): Routing {
  const quorum = withTeams(routing, addTeams)
  return { ...routing, quorum, quorumText: quorumText(quorum) }
}

/**
 * The quorum once every escalation of the queue has added its teams: the most people that it will
 * ever reach.
 */
export function widestQuorum(input: {
  readonly team: string
  readonly quorum: Quorum
  readonly escalate: WaitingTimes['escalate']
}): Quorum {
  return withTeams(
    input,
    input.escalate.flatMap(({ addTeams }) => addTeams),
  )
}

function withTeams(
  { team, quorum }: { readonly team: string; readonly quorum: Quorum },
  addTeams: readonly string[],
): Quorum {
  const any = quorum.any.map((places) =>
    places.map((place) => {
      if (place.team !== team) return place
      const also = new Set([...(place.also ?? []), ...addTeams])
      also.delete(place.team)
      return also.size === 0 ? place : { ...place, also: [...also] }
    }),
  )
  return { any }
}

/**
 * The routing as it was before anybody was added: of a request that is asked anew, and whose own
 * waiting begins.
 */
export function beforeEscalation(routing: Routing): Routing {
  const any = routing.quorum.any.map((places) => places.map(({ team, count }) => ({ team, count })))
  return { ...routing, quorum: { any }, quorumText: quorumText({ any }) }
}

/**
 * The routing with every escalation among these steps, for a revision of a request that has waited
 * already.
 */
function escalatedBy(routing: Routing, takenSteps: readonly WaitingStep[]): Routing {
  return takenSteps.reduce(
    (before, step) => (step.kind === 'escalate' ? escalateRouting(before, step.addTeams) : before),
    routing,
  )
}

/**
 * Of the steps behind the first `takenSteps`, those that are due `waitedMs` after the opening.
 */
export function stepsDue(
  steps: readonly WaitingStep[],
  takenSteps: number,
  waitedMs: number,
): readonly WaitingStep[] {
  return steps.slice(takenSteps).filter(({ afterMs }) => afterMs <= waitedMs)
}

/**
 * The routing of a revision: judged anew, but the steps are those the request was opened with, and
 * whom an escalation has added by now stays added.
 */
export function revisedRouting(original: Routing, takenSteps: number, judged: Routing): Routing {
  const { steps: _afresh, ...rest } = judged
  const steps = original.steps ?? []
  return escalatedBy(steps.length === 0 ? rest : { ...rest, steps }, steps.slice(0, takenSteps))
}
