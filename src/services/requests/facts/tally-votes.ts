import { tally, type Tally } from '#domain/deciding/quorum.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { QuorumRecord } from './request-record.ts'

/** Somebody who approved, with their present teams. */
export interface Voter {
  readonly personId: string
  readonly name: string
  readonly enabled: boolean
  /** other rows of the same human; absent: there are none */
  readonly otherIds?: readonly string[]
  readonly teams: readonly string[]
}

/**
 * Counts the approvals of people who are enabled and in a team now; others no longer count
 * (product.md 18). Of two rows of one human only the first counts.
 */
export function tallyVotes(
  routing: Routing,
  votes: readonly Voter[],
): Tally & { readonly record: QuorumRecord } {
  const enabled = votes.filter((vote) => vote.enabled)
  const current = tally(
    routing.quorum,
    enabled.filter(
      ({ otherIds = [] }, at) =>
        !enabled.slice(0, at).some(({ personId }) => otherIds.includes(personId)),
    ),
  )
  const names = new Map(votes.map((vote) => [vote.personId, vote.name]))
  return {
    ...current,
    record: {
      required: current.required,
      counted: current.counted.map(({ personId, team }) => ({
        team,
        person: { id: personId, name: names.get(personId) ?? '' },
      })),
      missing: current.missing,
      text: routing.quorumText,
    },
  }
}
