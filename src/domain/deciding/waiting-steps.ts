import type { Routing, WaitingStep } from './judgement.ts'
import { quorumText } from './quorum.ts'
import type { Quorum } from '../requests/request.ts'

/** The waiting times of a queue, in milliseconds from the opening. */
export interface WaitingTimes {
  readonly team: string
  readonly remindAfterMs: readonly number[]
  readonly escalate: readonly { readonly afterMs: number; readonly addTeams: readonly string[] }[]
}

/**
 * The steps of a request in the order of their times; at the same time people are added first, so
 * that they get the reminder too. Where the quorum has no place of the queue's own team, nobody can
 * be added.
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
 * own team too. Places of other teams, and the number of distinct people, stay as they are
 * (product.md 18).
 */
export function escalateRouting(routing: Routing, addTeams: readonly string[]): Routing {
  // The queue's own team is kept too: after an edit into another queue it is an added team there.
  return withAdded(routing, [...new Set([...addedTeamsOf(routing), ...addTeams])])
}

function withAdded(routing: Routing, addedTeams: readonly string[]): Routing {
  if (addedTeams.length === 0) return routing
  const quorum = withTeams(routing, addedTeams)
  return { ...routing, addedTeams, quorum, quorumText: quorumText(quorum) }
}

/** Requests that were escalated by an earlier version name these teams in their quorum alone. */
function addedTeamsOf({ addedTeams, quorum }: Routing): readonly string[] {
  return addedTeams ?? [...new Set(quorum.any.flat().flatMap(({ also = [] }) => also))]
}

/** The quorum after every escalation of the queue: the most people that it will ever reach. */
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

/** The routing before any escalation, for a renewed request, whose waiting begins again. */
export function beforeEscalation({ addedTeams: _ended, ...routing }: Routing): Routing {
  const any = routing.quorum.any.map((places) => places.map(({ team, count }) => ({ team, count })))
  return { ...routing, quorum: { any }, quorumText: quorumText({ any }) }
}

/** The steps after the first `takenSteps` that are due `waitedMs` after the opening. */
export function stepsDue(
  steps: readonly WaitingStep[],
  takenSteps: number,
  waitedMs: number,
): readonly WaitingStep[] {
  return steps.slice(takenSteps).filter(({ afterMs }) => afterMs <= waitedMs)
}

/**
 * The routing of a revision: judged again, with the steps of the original request and the teams
 * that escalations have added.
 */
export function revisedRouting(original: Routing, routing: Routing): Routing {
  const { steps: _afresh, ...rest } = routing
  const { steps = [] } = original
  const revised = steps.length === 0 ? rest : { ...rest, steps }
  return withAdded(revised, addedTeamsOf(original))
}
