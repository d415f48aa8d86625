import type { Quorum, QuorumPlace } from '../requests/request.ts'

/** One person's approval and their present teams; nobody votes twice. */
export interface Vote {
  readonly personId: string
  readonly teams: readonly string[]
}

/** The state of the alternative that is nearest to being met: what it needs, has and lacks. */
export interface Tally {
  readonly met: boolean
  readonly required: readonly QuorumPlace[]
  readonly counted: readonly { readonly personId: string; readonly team: string }[]
  readonly missing: readonly QuorumPlace[]
}

/**
 * Counts approvals against a quorum: distinct people fill distinct places, each place only by a
 * member of its team, assigned so that as many places as possible are filled (product.md 18). A
 * quorum without a place is never met.
 */
export function tally(quorum: Quorum, votes: readonly Vote[]): Tally {
  const tallies = quorum.any.map((places) => tallyOf(places, votes))
  const best = tallies.toSorted((left, right) => countLacking(left) - countLacking(right))[0]
  return best ?? { met: false, required: [], counted: [], missing: [] }
}

/** Every team that fills a place in some alternative: its members may decide. */
export function quorumTeams(quorum: Quorum): string[] {
  return [...new Set(quorum.any.flat().flatMap(teamsOf))]
}

/** As text: `1 of platform`, `1 of a and 1 of b`, `2 of a or 1 of b`. */
export function quorumText(quorum: Quorum): string {
  return quorum.any.map((places) => places.map(placeText).join(' and ')).join(' or ')
}

/** A place as it is shown, which may come from an answer of the API. */
interface TeamPlace {
  readonly team: string
  readonly count: number
  readonly also?: readonly string[] | undefined
}

/** `2 of platform`; after an escalation `2 of platform (or security)`. */
export function placeText(place: TeamPlace): string {
  const { team, count, also = [] } = place
  return `${count} of ${team}${also.length === 0 ? '' : ` (or ${also.join(', ')})`}`
}

/** The part of a quorum that is still missing: `1 of platform and 2 of security`. */
export function missingText({ missing }: { readonly missing: readonly TeamPlace[] }): string {
  return missing.map(placeText).join(' and ')
}

interface OpenQuorum {
  readonly text: string
  readonly counted: readonly unknown[]
  readonly missing: readonly TeamPlace[]
}

/** The approvals that a quorum still needs; before the first one, all its alternatives. */
export function neededText(quorum: OpenQuorum): string {
  return quorum.counted.length === 0 ? quorum.text : missingText(quorum)
}

/** What a request still needs after a vote that was not the last one, as a sentence. */
export function needSentence(quorum: OpenQuorum): string {
  return `It still needs ${neededText(quorum)}.`
}

/**
 * A quorum that is met only by people who would meet both: the larger number of the same team, and
 * the people of every other team. Quorums are combined before a request opens, so before an
 * escalation could add a team to a place.
 */
export function bothQuorums(one: Quorum, other: Quorum): Quorum {
  const any = one.any.flatMap((left) => other.any.map((right) => bothPlaces(left, right)))
  const texts = any.map((places) => JSON.stringify(places))
  return { any: any.filter((_, index) => texts.indexOf(texts[index] ?? '') === index) }
}

function bothPlaces(left: readonly QuorumPlace[], right: readonly QuorumPlace[]): QuorumPlace[] {
  const teams = [...new Set([...left, ...right].map(({ team }) => team))]
  const seats = (places: readonly QuorumPlace[], team: string): number =>
    places.reduce((sum, place) => sum + (place.team === team ? place.count : 0), 0)
  return teams.map((team) => ({ team, count: Math.max(seats(left, team), seats(right, team)) }))
}

function countLacking(current: Tally): number {
  return current.missing.reduce((sum, place) => sum + place.count, 0)
}

function tallyOf(places: readonly QuorumPlace[], votes: readonly Vote[]): Tally {
  const seats = places.flatMap((place) =>
    Array.from({ length: Math.max(0, place.count) }, () => place),
  )
  const filled = assign(seats, votes)
  const missing = new Map<string, QuorumPlace>()
  for (const [index, seat] of seats.entries()) {
    if (filled.has(index)) continue
    const count = (missing.get(seat.team)?.count ?? 0) + 1
    missing.set(seat.team, { ...seat, count })
  }
  return {
    met: seats.length > 0 && filled.size === seats.length,
    required: places,
    counted: [...filled].map(([index, vote]) => ({
      personId: vote.personId,
      team: teamsOf(seats[index]).find((team) => vote.teams.includes(team)) ?? '',
    })),
    missing: [...missing.values()],
  }
}

/** The teams whose members may fill a place, its own first. */
function teamsOf(place: QuorumPlace | undefined): readonly string[] {
  return place === undefined ? [] : [place.team, ...(place.also ?? [])]
}

/** The largest matching of seats to voters, by augmenting paths. */
function assign(seats: readonly QuorumPlace[], votes: readonly Vote[]): Map<number, Vote> {
  const filled = new Map<number, Vote>()
  const sit = (vote: Vote, triedSeats: Set<number>): boolean => {
    for (const [index, seat] of seats.entries()) {
      if (triedSeats.has(index) || !teamsOf(seat).some((team) => vote.teams.includes(team)))
        continue
      triedSeats.add(index)
      const occupant = filled.get(index)
      if (occupant === undefined || sit(occupant, triedSeats)) {
        filled.set(index, vote)
        return true
      }
    }
    return false
  }
  const countedPeople = new Set<string>()
  for (const vote of votes) {
    if (countedPeople.has(vote.personId)) continue
    countedPeople.add(vote.personId)
    sit(vote, new Set())
  }
  return filled
}
