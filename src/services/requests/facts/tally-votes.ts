import { tally, type Tally } from '#domain/deciding/quorum.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { QuorumRecord } from './request-record.ts'

/** Somebody who approved, with their present teams. */
export interface Voter {
  readonly personId: string
  readonly name: string
  readonly enabled: boolean
  readonly teams: readonly string[]
}

/**
 * Counts the approvals of people who are enabled and in a team now; others no longer count
 * (product.md 18).
 */
export function tallyVotes(
  routing: Routing,
  votes: readonly Voter[],
): Tally & { readonly record: QuorumRecord } {
  const counted = tally(
    routing.quorum,
    votes.filter((vote) => vote.enabled),
  )
  const names = new Map(votes.map((vote) => [vote.personId, vote.name]))
  return {
    ...counted,
    record: {
      required: counted.required,
      counted: counted.counted.map(({ personId, team }) => ({
        team,
        person: { id: personId, name: names.get(personId) ?? '' },
      })),
      missing: counted.missing,
      text: routing.quorumText,
    },
  }
}
