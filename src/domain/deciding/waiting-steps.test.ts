import { describe, expect, test } from 'vitest'
import type { Routing } from './judgement.ts'
import { quorumTeams, tally } from './quorum.ts'
import {
  beforeEscalation,
  escalateRouting,
  revisedRouting,
  stepsDue,
  waitingSteps,
} from './waiting-steps.ts'

const hour = 3_600_000
const one = { any: [[{ team: 'platform', count: 1 }]] }
const routing: Routing = {
  queue: 'platform',
  team: 'platform',
  quorum: one,
  quorumText: '1 of platform',
  expiresAfterMs: 72 * hour,
  permitForMs: hour,
  scopes: ['once'],
  edits: 'approve',
  selfApproval: false,
  signature: 'optional',
}

describe('the steps of a request that waits', () => {
  const times = {
    team: 'platform',
    remindAfterMs: [24 * hour, 4 * hour, 4 * hour],
    escalate: [{ afterMs: 24 * hour, addTeams: ['security'] }],
  }

  test('come in the order of their times, each once, and people are added before a reminder of the same time', () => {
    expect(waitingSteps(times, one)).toEqual([
      { kind: 'remind', afterMs: 4 * hour },
      { kind: 'escalate', afterMs: 24 * hour, addTeams: ['security'] },
      { kind: 'remind', afterMs: 24 * hour },
    ])
  })

  test('add nobody to a quorum without a place of the queue’s own team', () => {
    const others = { any: [[{ team: 'security', count: 1 }]] }
    expect(waitingSteps(times, others).map(({ kind }) => kind)).toEqual(['remind', 'remind'])
  })

  test('are due from their time on, and never again once taken', () => {
    const steps = waitingSteps(times, one)
    expect(stepsDue(steps, 0, 4 * hour - 1)).toEqual([])
    expect(stepsDue(steps, 0, 4 * hour)).toEqual(steps.slice(0, 1))
    expect(stepsDue(steps, 1, 100 * hour)).toEqual(steps.slice(1))
    expect(stepsDue(steps, 3, 100 * hour)).toEqual([])
  })
})

// Rules: product.md 18
describe('an escalation', () => {
  test('does not count for the request that replaces an escalated one', () => {
    expect(beforeEscalation(escalateRouting(routing, ['security']))).toEqual(routing)
  })

  const both = {
    any: [
      [
        { team: 'platform', count: 2 },
        { team: 'legal', count: 1 },
      ],
    ],
  }

  test('lets the added team fill places of the queue’s own, with as many distinct people as before', () => {
    const after = escalateRouting({ ...routing, quorum: both }, ['security'])
    expect(after.quorumText).toBe('2 of platform (or security) and 1 of legal')
    expect(quorumTeams(after.quorum)).toEqual(['platform', 'security', 'legal'])
    const edsger = { personId: 'edsger', teams: ['security'] }
    const grace = { personId: 'grace', teams: ['platform'] }
    const lea = { personId: 'lea', teams: ['legal'] }
    expect(tally(after.quorum, [edsger, lea])).toMatchObject({
      met: false,
      counted: [
        { personId: 'edsger', team: 'security' },
        { personId: 'lea', team: 'legal' },
      ],
      missing: [{ team: 'platform', count: 1, also: ['security'] }],
    })
    expect(tally(after.quorum, [edsger, grace, lea]).met).toBe(true)
  })

  test('never adds teams to a place of another team', () => {
    const after = escalateRouting({ ...routing, quorum: both }, ['security'])
    const three = ['a', 'b', 'c'].map((personId) => ({ personId, teams: ['security'] }))
    expect(tally(after.quorum, three).missing).toEqual([{ team: 'legal', count: 1 }])
  })

  test('twice adds nobody twice, and never the queue’s own team', () => {
    const once = escalateRouting(routing, ['security', 'platform'])
    expect(once.quorumText).toBe('1 of platform (or security)')
    expect(escalateRouting(once, ['security'])).toEqual(once)
    expect(escalateRouting(once, ['legal']).quorumText).toBe('1 of platform (or security, legal)')
    expect(escalateRouting(routing, ['platform']).quorum).toEqual(routing.quorum)
  })

  test('stays in force after a revision of the call, and so do the other steps', () => {
    const steps = [
      { kind: 'escalate', afterMs: hour, addTeams: ['security'] },
      { kind: 'remind', afterMs: 2 * hour },
    ] as const
    const judged = { ...routing, quorum: both, steps: [{ kind: 'remind', afterMs: 9 }] as const }
    const route = { ...routing, steps }
    const revised = revisedRouting(escalateRouting(route, ['security']), judged)
    expect(revised.quorumText).toBe('2 of platform (or security) and 1 of legal')
    expect(revised.steps).toEqual(steps)
    expect(revisedRouting(route, judged).quorum).toEqual(both)
    expect(revisedRouting(routing, judged)).not.toHaveProperty('steps')
  })

  const elsewhere = { any: [[{ team: 'security', count: 1 }]] }
  test.each([
    ['of the added team', { ...routing, team: 'security', quorum: elsewhere }],
    ['whose quorum has no place of its own team', { ...routing, team: 'legal', quorum: elsewhere }],
  ])('stays in force after a revision that was for a while in a queue %s', (_, meanwhile) => {
    const escalated = escalateRouting(routing, ['security'])
    // As an earlier version stored it.
    const { addedTeams: _absent, ...stored } = escalated
    for (const original of [escalated, stored]) {
      const once = revisedRouting(original, meanwhile)
      expect(once.quorum).toEqual(elsewhere)
      expect(revisedRouting(once, routing)).toEqual(escalated)
    }
    // The step is due while the request is in the other queue.
    const late = escalateRouting(revisedRouting(routing, meanwhile), ['security'])
    expect(late.quorum).toEqual(elsewhere)
    expect(revisedRouting(late, routing)).toEqual(escalated)
  })
})
