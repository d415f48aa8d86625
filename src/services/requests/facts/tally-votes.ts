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
 * (product.md 18), and each human once.
 */
export function tallyVotes(
  routing: Routing,
  votes: readonly Voter[],
): Tally & { readonly record: QuorumRecord } {
  const current = tally(routing.quorum, oncePerHuman(votes.filter((vote) => vote.enabled)))
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

/** Of several rows of one human, the first. */
export function oncePerHuman<Row extends Pick<Voter, 'personId' | 'otherIds'>>(
  rows: readonly Row[],
): Row[] {
  return rows.filter(
    ({ otherIds = [] }, at) =>
      !rows.slice(0, at).some(({ personId }) => otherIds.includes(personId)),
  )
}
