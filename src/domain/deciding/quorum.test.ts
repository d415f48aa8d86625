import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bothQuorums, needSentence, quorumTeams, quorumText, tally, type Vote } from './quorum.ts'
import type { Quorum, QuorumPlace } from '../requests/request.ts'

const platform = { team: 'platform', count: 1 }
const security = { team: 'security', count: 1 }

function vote(personId: string, ...teams: string[]): Vote {
  return { personId, teams }
}

// Rules: product.md 18
describe('a quorum', () => {
  test('of one is met by one member, and not by a person of another team', () => {
    const quorum = { any: [[platform]] }
    expect(tally(quorum, [vote('grace', 'platform')])).toMatchObject({ met: true, missing: [] })
    expect(tally(quorum, [vote('edsger', 'security')])).toMatchObject({
      met: false,
      counted: [],
      missing: [platform],
    })
  })

  test('of two is not met by one person, however often they vote', () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const twice = [vote('grace', 'platform'), vote('grace', 'platform')]
    expect(tally(quorum, twice)).toMatchObject({ met: false, missing: [platform] })
  })

  test('of two teams is not met by one person who is in both', () => {
    const both = vote('grace', 'platform', 'security')
    expect(tally({ any: [[platform, security]] }, [both]).met).toBe(false)
  })

  test('moves a person to another place to make room, in whatever order the votes come', () => {
    const quorum = { any: [[platform, security]] }
    const votes = [vote('both', 'platform', 'security'), vote('grace', 'platform')]
    expect(tally(quorum, votes).met).toBe(true)
    expect(tally(quorum, votes.toReversed()).met).toBe(true)
  })

  test('of alternatives is met by any of them, and names what the nearest one lacks', () => {
    const quorum = { any: [[{ team: 'platform', count: 3 }], [security]] }
    expect(tally(quorum, [vote('edsger', 'security')]).met).toBe(true)
    expect(tally(quorum, [vote('grace', 'platform')]).missing).toEqual([security])
  })

  test('without places or alternatives is never met', () => {
    const someone = [vote('grace', 'platform')]
    expect(tally({ any: [] }, someone).met).toBe(false)
    expect(tally({ any: [[]] }, someone).met).toBe(false)
    expect(tally({ any: [[{ team: 'platform', count: 0 }]] }, someone).met).toBe(false)
  })

  test('has a text, and a list in which each of its teams is once', () => {
    const quorum = { any: [[platform, security], [{ team: 'platform', count: 2 }]] }
    expect(quorumText(quorum)).toBe('1 of platform and 1 of security or 2 of platform')
    expect(quorumTeams(quorum)).toEqual(['platform', 'security'])
  })
})

// Rules: product.md 18
describe('the assignment', () => {
  const teams = ['a', 'b', 'c'] as const
  const place = fc.record(
    {
      team: fc.constantFrom(...teams),
      count: fc.integer({ min: 1, max: 2 }),
      also: fc.subarray([...teams]),
    },
    { requiredKeys: ['team', 'count'] },
  )
  const places = fc.array(place, { minLength: 1, maxLength: 3 })
  const votes = fc
    .array(fc.subarray([...teams]), { maxLength: 6 })
    .map((all) => all.map((teams, index) => ({ personId: `p${index}`, teams })))

  test('fills as many places as trying every assignment can', () => {
    fc.assert(
      fc.property(places, votes, (seatList, voteList) => {
        const counted = tally({ any: [seatList] }, voteList)
        const seats = seatList.flatMap(({ team, count, also = [] }) =>
          Array.from({ length: count }, () => [team, ...also]),
        )
        expect(counted.counted.length).toBe(maxFilled(seats, voteList))
        expect(counted.met).toBe(counted.counted.length === seats.length)
        expect(counted.counted.length + lacking(counted.missing)).toBe(seats.length)
      }),
    )
  })

  test('gives places to distinct people only, each in a team of theirs', () => {
    fc.assert(
      fc.property(places, votes, (seatList, voteList) => {
        const { counted } = tally({ any: [seatList] }, voteList)
        expect(new Set(counted.map((one) => one.personId)).size).toBe(counted.length)
        for (const one of counted) {
          const voter = voteList.find((vote) => vote.personId === one.personId)
          expect(voter?.teams).toContain(one.team)
        }
      }),
    )
  })

  test('is never undone by one more vote, and does not depend on the order of votes', () => {
    fc.assert(
      fc.property(fc.array(places, { minLength: 1, maxLength: 2 }), votes, (any, voteList) => {
        const quorum: Quorum = { any }
        const met = tally(quorum, voteList).met
        expect(tally(quorum, voteList.toReversed()).met).toBe(met)
        if (tally(quorum, voteList.slice(0, -1)).met) expect(met).toBe(true)
      }),
    )
  })
})

function lacking(missing: readonly QuorumPlace[]): number {
  return missing.reduce((sum, place) => sum + place.count, 0)
}

function maxFilled(seats: readonly (readonly string[])[], votes: readonly Vote[]): number {
  const [seat, ...rest] = seats
  if (seat === undefined) return 0
  const seated = votes.flatMap((vote) =>
    vote.teams.some((team) => seat.includes(team))
      ? [
          1 +
            maxFilled(
              rest,
              votes.filter((one) => one !== vote),
            ),
        ]
      : [],
  )
  return Math.max(maxFilled(rest, votes), ...seated)
}

test('two combined quorums need the larger number of one team, both of two teams, and each pair of alternatives once', () => {
  const one = { any: [[{ team: 'platform', count: 2 }], [{ team: 'security', count: 1 }]] }
  const other = { any: [[{ team: 'platform', count: 1 }]] }
  expect(quorumText(bothQuorums(one, other))).toBe(
    '2 of platform or 1 of security and 1 of platform',
  )
  expect(bothQuorums(one, { any: [] }).any).toEqual([])
  expect(bothQuorums(other, other)).toEqual(other)
  const split = { any: [[...(other.any[0] ?? []), ...(other.any[0] ?? [])]] }
  expect(quorumText(bothQuorums(split, other))).toBe('2 of platform')
})

test('what a quorum still needs is all its alternatives until an approval counts, and then what is missing of one', () => {
  const text = '2 of platform or 1 of security'
  const missing = [platform]
  expect(needSentence({ text, counted: [], missing: [{ team: 'platform', count: 2 }] })).toBe(
    'It still needs 2 of platform or 1 of security.',
  )
  expect(needSentence({ text, counted: [{}], missing })).toBe('It still needs 1 of platform.')
})
