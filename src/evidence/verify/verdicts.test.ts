import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import { openFindings, EventJudge, verdictsOf } from './judge-events.ts'
import { asRequest, changed, legalTrail, personOf, type TrailEvent } from './trail.fixture.ts'
import type { VerdictName } from './findings/finding.ts'

/**
 * The verdicts that fail, and what they say, of events that are chained and canonical as the
 * service writes them.
 */
function judge(events: readonly TrailEvent[]): { names: VerdictName[]; problems: string } {
  const findings = openFindings()
  const extent = { isWhole: true, requestIds: new Set<string>() }
  const judge = new EventJudge(findings, extent, { stored: [], verifier: null })
  for (const [index, text] of asRequest(events).entries()) judge.take(index, text)
  judge.end()
  // The verdict on statements has a test of its own.
  const verdicts = verdictsOf(findings).filter(({ name }) => name !== 'authenticity')
  const bad = verdicts.filter(({ outcome }) => outcome !== 'holds')
  return {
    names: bad.map(({ name }) => name),
    problems: bad.flatMap(({ findings: all }) => all.map(({ problem }) => problem)).join('\n'),
  }
}

const trail = legalTrail()
const at = (type: string, nth = 0): number =>
  trail.flatMap((event, index) => (event.type === type ? [index] : []))[nth] ?? -1
const without = (type: string, nth = 0): TrailEvent[] =>
  trail.filter((_, index) => index !== at(type, nth))
const twice = (type: string): TrailEvent[] =>
  trail.toSpliced(at(type), 0, trail[at(type)] ?? trail[0]!)

test('a correct trail of two votes and an execution holds', () => {
  expect(judge(trail)).toEqual({ names: [], problems: '' })
})

describe('authorisation fails', () => {
  test.each<[string, readonly TrailEvent[], string]>([
    [
      'for a vote of who started the run',
      changed(trail, at('run.started'), { detail: { startedBy: personOf('grace') } }),
      'behind the request',
    ],
    [
      'for a vote of who had posted a message before the request was opened',
      trail.toSpliced(at('request.opened'), 0, {
        type: 'run.messaged',
        actor: { type: 'person', id: personOf('grace'), name: 'Grace' },
        runId: 'r1',
        detail: {},
      }),
      'is behind the request by event',
    ],
    [
      'for a vote of somebody whom the request names as behind it beside who it is for',
      changed(trail, at('request.opened'), {
        detail: { onBehalfOf: personOf('ada'), behind: [personOf('grace')] },
      }),
      'is behind the request by event',
    ],
    [
      'for a machine’s decision',
      changed(trail, at('decision.recorded'), { actor: { type: 'machine', id: 'key' } }),
      'only people do',
    ],
    [
      'for a self-approval that is not marked',
      changed(trail, at('decision.recorded'), {
        detail: { basis: { principals: [personOf('ada'), personOf('grace')], selfApproval: true } },
      }),
      'not marked as a self-approval',
    ],
    [
      'for a self-approval that the queue does not allow',
      changed(trail, at('decision.recorded'), {
        detail: { selfApproved: true, basis: { principals: [personOf('ada'), personOf('grace')] } },
      }),
      'allows no self-approval',
    ],
    [
      'for a permit that counts one vote of two',
      changed(trail, at('permit.issued'), {
        detail: { counted: [{ personId: personOf('grace'), team: 'platform' }] },
      }),
      '1 of platform is missing',
    ],
    [
      'for a permit that counts one person twice',
      changed(trail, at('permit.issued'), {
        detail: { counted: [1, 2].map(() => ({ personId: personOf('grace'), team: 'platform' })) },
      }),
      'is missing',
    ],
    [
      'for a vote of who started the run at an earlier address',
      changed(trail, at('decision.recorded'), {
        detail: { basis: { otherIds: [personOf('ada')] } },
      }),
      'allows no self-approval',
    ],
    [
      'for a permit that counts one person at two addresses',
      changed(trail, at('decision.recorded', 1), {
        detail: { basis: { otherIds: [personOf('grace')] } },
      }),
      'who are one person',
    ],
    [
      'for a permit that counts somebody who did not vote',
      without('decision.recorded', 1),
      'who did not approve this revision',
    ],
    [
      'for a vote of somebody who had been disabled before the quorum was met',
      trail.toSpliced(at('permit.issued'), 0, {
        type: 'credential.changed',
        actor: { type: 'system' },
        detail: { change: 'person_disabled', personId: personOf('grace') },
      }),
      'disabled',
    ],
    [
      'for a permit that policy gave for a call of a run',
      changed(trail, at('permit.issued'), { actor: { type: 'policy' } }),
      'had not pre-approved',
    ],
    [
      'for a quorum other than the request asked for',
      changed(trail, at('decision.recorded'), {
        detail: { basis: { quorum: { any: [[{ team: 'platform', count: 1 }]] } } },
      }),
      'the request asked for 2 of platform',
    ],
    [
      'for a vote after the request’s end',
      changed(trail, at('decision.recorded'), {
        detail: { basis: { expiresAt: '2026-01-01T00:00:00.000Z' } },
      }),
      'the request expired',
    ],
    [
      'for a vote of somebody in no team of the quorum',
      changed(trail, at('decision.recorded'), { detail: { basis: { teams: [] } } }),
      'in no team',
    ],
  ])('%s', (_, events, problem) => {
    const found = judge(events)
    expect(found.names).toContain('authorisation')
    expect(found.problems).toContain(problem)
  })

  test('and cannot be judged if a run is its own parent', () => {
    const detail = { startedBy: personOf('ada'), parentRunId: 'r1' }
    expect(judge(changed(trail, at('run.started'), { detail })).problems).toContain(
      'who started the run is not among the events',
    )
  })

  test('and cannot be judged if a decision does not say what it was judged by', () => {
    const found = judge(changed(trail, at('decision.recorded'), { detail: { basis: null } }))
    expect(found.problems).toContain('does not say what it was judged by')
  })
})

describe('binding fails', () => {
  test.each<[string, readonly TrailEvent[], string]>([
    [
      'for a decision of other bytes than were shown',
      changed(trail, at('decision.recorded'), { digest: 'other' }),
      'the decision names other',
    ],
    [
      'for another revision',
      changed(trail, at('decision.recorded'), { detail: { revision: 2 } }),
      'revision 2',
    ],
    [
      'for a permit for other bytes',
      changed(trail, at('permit.issued'), { digest: 'other' }),
      'the permit is for other',
    ],
    [
      'for other bytes than were approved',
      changed(trail, at('execution.started'), { digest: 'other' }),
      'other ran',
    ],
    ['for an execution without a permit', without('permit.consumed'), 'no use of one is there'],
    [
      'for a permit that was never issued',
      without('permit.issued'),
      'nothing says that it was issued',
    ],
    [
      'for an execution after the permit’s end',
      changed(trail, at('permit.issued'), { detail: { expiresAt: '2026-01-01T00:00:00.000Z' } }),
      'the permit expired',
    ],
    ['for a permit that is used twice', twice('permit.consumed'), 'the permit had ended'],
    [
      'for a permit that had been revoked',
      trail.toSpliced(at('permit.consumed'), 0, {
        type: 'permit.revoked',
        requestId: 'q1',
        runId: 'r1',
        callId: 'c1',
        actor: { type: 'system' },
        detail: { permitId: 'p1' },
      }),
      'permit.revoked',
    ],
    ['for an attempt that starts twice', twice('execution.started'), 'this attempt was started'],
    [
      'for a permit that started nothing',
      without('execution.started'),
      'nothing was started by it',
    ],
    [
      'for a call that policy had not pre-approved',
      changed(trail, at('execution.started'), { detail: { by: 'policy' } }),
      'whose verdict was ask',
    ],
  ])('%s', (_, events, problem) => {
    const found = judge(events)
    expect(found.names).toContain('binding')
    expect(found.problems).toContain(problem)
  })
})

describe('a grant by two votes', () => {
  /** The trail with these details of both votes, and with this grant after the permit. */
  const granted = (votes: readonly JsonObject[], grant: JsonObject): TrailEvent[] => {
    const [first = {}, second = {}] = votes
    const voted = changed(trail, at('decision.recorded'), { detail: first })
    return changed(voted, at('decision.recorded', 1), { detail: second }).toSpliced(
      at('permit.consumed'),
      0,
      {
        type: 'grant.given',
        actor: { type: 'person', id: personOf('linus'), name: 'linus' },
        requestId: 'q1',
        runId: 'r1',
        callId: 'c1',
        digest: 'd1',
        detail: { grantId: 'g1', scope: 'run', uses: null, expiresAt: null, ...grant },
      },
    )
  }
  const bounded = { scope: 'run', grant: { uses: 3, expiresAt: '2026-03-02T00:00:00.000Z' } }
  const wide = { scope: 'run', grant: null }

  test('holds within the bounds of both, or of votes of an earlier version', () => {
    const { uses, expiresAt } = bounded.grant
    expect(judge(granted([wide, bounded], { uses, expiresAt })).problems).toBe('')
    expect(judge(granted([{ scope: 'run' }, { scope: 'run' }], {})).problems).toBe('')
  })

  test.each<[string, JsonObject[], JsonObject]>([
    ['scope', [wide, { scope: 'once' }], {}],
    ['scope', [{ scope: 'path', grant: null }, wide], {}],
    ['uses', [bounded, wide], { uses: 4, expiresAt: bounded.grant.expiresAt }],
    ['uses', [bounded, wide], { expiresAt: bounded.grant.expiresAt }],
    ['expiresAt', [bounded, wide], { uses: 3 }],
    ['expiresAt', [wide, bounded], { uses: 3, expiresAt: '2026-03-03T00:00:00.000Z' }],
  ])('fails the binding where it is wider in %s than one of them', (what, votes, grant) => {
    const found = judge(granted(votes, grant))
    expect(found.names).toContain('binding')
    expect(found.problems).toContain(`the grant is wider in ${what} than the approval`)
  })
})

test('a request that ended with its run holds, whichever of the two ends is first in the log', () => {
  const when = '2026-03-02T10:00:00.000Z'
  const ends: TrailEvent[] = [
    { type: 'run.cancelled', actor: { type: 'system' }, at: when, runId: 'r1', detail: {} },
    { ...trail[at('request.opened')]!, type: 'request.cancelled', at: when, detail: {} },
  ]
  const before = trail.slice(0, at('decision.recorded'))
  expect(judge([...before, ...ends])).toEqual({ names: [], problems: '' })
  expect(judge([...before, ...ends.toReversed()])).toEqual({ names: [], problems: '' })
  const [end, late] = ends
  const afterwards = { ...late!, at: '2026-03-02T10:00:00.001Z' }
  expect(judge([...before, end!, afterwards]).problems).toContain('has no end')
})

describe('completeness fails', () => {
  test.each<[string, readonly TrailEvent[], string]>([
    ['for a request that was never opened', without('request.opened'), 'not request.opened'],
    [
      'for a decision after the end',
      trail.toSpliced(at('permit.issued') + 1, 0, trail[at('decision.recorded')]!),
      'a request that is approved does not accept',
    ],
    [
      'for an end without a beginning',
      without('execution.started'),
      'does not accept execution.finished',
    ],
    [
      'for a run that ends while a request of it waits',
      [...trail.slice(0, at('decision.recorded')), trail.at(-1)!],
      'has no end',
    ],
    [
      'for a run whose start is not there',
      without('run.started'),
      'the start of run r1 is not in the log',
    ],
    [
      'for something carried out after the run’s end',
      [...trail, trail[at('execution.started')]!],
      'the run had ended',
    ],
    [
      'for a type that there is not',
      changed(trail, at('call.judged'), { type: 'call.guessed' }),
      'no type of event',
    ],
    [
      'for an event dated back',
      changed(trail, at('execution.finished'), { at: '2026-02-01T00:00:00.000Z' }),
      'put in afterwards',
    ],
  ])('%s', (_, events, problem) => {
    const found = judge(events)
    expect(found.names).toContain('completeness')
    expect(found.problems).toContain(problem)
  })
})

describe('a clock that was ahead', () => {
  const minuteMs = 60_000
  const begin = Date.parse('2026-03-01T10:00:00.000Z')
  const refusalAt = (minutes: number): TrailEvent => ({
    type: 'session.refused',
    actor: { type: 'system' },
    at: new Date(begin + minutes * minuteMs).toISOString(),
    detail: {},
  })
  const minutes = (from: number, count: number): TrailEvent[] =>
    Array.from({ length: count }, (_, index) => refusalAt(from + index))

  function warningsOf(events: readonly TrailEvent[]): string[] {
    const findings = openFindings()
    const extent = { isWhole: true, requestIds: new Set<string>() }
    const judging = new EventJudge(findings, extent, { stored: [], verifier: null })
    for (const [index, text] of asRequest(events).entries()) judging.take(index, text)
    judging.end()
    return findings.completeness
      .verdict()
      .warnings.map(({ kind, problem }) => `${kind}: ${problem}`)
  }

  test('is one warning for all events of that time, and the evidence holds', () => {
    const events = [...minutes(0, 30), ...minutes(30 + 600, 5), ...minutes(35, 1_244)]
    expect(judge(events)).toEqual({ names: [], problems: '' })
    expect(warningsOf(events)).toEqual([
      "clock: the service's clock was ahead by 9 h 59 min or more: events 30 to 34 (5) are dated " +
        '2026-03-01T20:30:00.000Z to 2026-03-01T20:34:00.000Z, and event 35 after them 2026-03-01T10:35:00.000Z',
    ])
  })

  test('is one warning also if it was ahead from the first event on, or several times', () => {
    const first = [...minutes(600, 5), ...minutes(5, 30)]
    expect(judge(first).names).toEqual([])
    expect(warningsOf(first)).toHaveLength(1)
    const often = [0, 1, 2].flatMap((day) => [
      ...minutes(day * 1440, 10),
      ...minutes(day * 1440 + 200, 10),
      ...minutes(day * 1440 + 20, 10),
    ])
    expect(judge(often).names).toEqual([])
    expect(warningsOf(often)).toEqual([
      "clock: the service's clock was ahead 3 times, by up to 3 h 9 min or more, for 30 events between event 10, dated " +
        '2026-03-01T13:20:00.000Z, and event 80, dated 2026-03-03T10:20:00.000Z',
    ])
  })

  test('does not explain an inserted event: it has an earlier time although the time never jumped forward', () => {
    const events = [...minutes(0, 200), refusalAt(30), ...minutes(200, 30)]
    expect(judge(events)).toMatchObject({
      names: ['completeness'],
      problems: expect.stringContaining('it was put in afterwards'),
    })
    expect(warningsOf(events)).toEqual([])
  })

  test('does not explain an event that is further back than the time jumped forward, or before the log began', () => {
    const night = [...minutes(0, 60), ...minutes(60 + 480, 600)]
    expect(judge([...night, refusalAt(100)]).names).toEqual(['completeness'])
    expect(judge([...minutes(0, 60), refusalAt(-1_000_000)]).names).toEqual(['completeness'])
  })

  test('does not explain a clock that was behind, which looks like inserted events: one finding for all of them', () => {
    const events = [...minutes(0, 2000), ...minutes(1000, 500), ...minutes(2500, 10)]
    expect(judge(events)).toEqual({
      names: ['completeness'],
      problems:
        'events 2000 to 2499 (500) are dated 2026-03-02T02:40:00.000Z to 2026-03-02T10:59:00.000Z, but event 1999 before them ' +
        "is of 2026-03-02T19:19:00.000Z: they were put in afterwards, or the service's clock was behind",
    })
  })

  test('does not hide events that were inserted before it and after it', () => {
    const events = [...minutes(0, 60), ...minutes(1000, 5), ...minutes(65, 100)]
    for (const place of [50, 150]) {
      const forged = events.toSpliced(place, 0, refusalAt(10))
      expect(judge(forged).names).toEqual(['completeness'])
      expect(warningsOf(forged)).toHaveLength(1)
    }
  })
})
