import { describe, expect, test } from 'vitest'
import { runNeeds } from '../runs/need-of-run.ts'
import { judgeEligibility, principalReasons } from './eligibility.ts'

const quorum = { any: [[{ team: 'platform', count: 1 }], [{ team: 'security', count: 2 }]] }
const grace = { id: 'grace', enabled: true, teams: ['platform'] }
const facts = {
  need: 'decide' as const,
  person: grace,
  quorum,
  principals: [],
  selfApproval: false,
}

// Rules: product.md 17, 19
describe('who may decide', () => {
  test('an enabled person in any team the quorum names, who is not behind the request', () => {
    const others = [{ personId: 'ada', why: 'started' }]
    expect(judgeEligibility({ ...facts, principals: others })).toEqual({
      canDecide: true,
      reason: null,
      selfApproved: false,
    })
  })

  test('no machine, whatever the queue allows', () => {
    const machine = judgeEligibility({ ...facts, person: null, selfApproval: true })
    expect(machine).toMatchObject({ canDecide: false, which: 'machine' })
  })

  test('nobody who is disabled', () => {
    const gone = judgeEligibility({ ...facts, person: { ...grace, enabled: false } })
    expect(gone).toMatchObject({ canDecide: false, which: 'disabled' })
  })

  test('nobody outside of these teams, and the refusal names the teams', () => {
    const other = judgeEligibility({ ...facts, person: { ...grace, teams: ['design'] } })
    expect(other).toMatchObject({ which: 'not_in_team' })
    expect(other.reason).toContain('platform or security')
  })

  test.each([...principalReasons, 'constructor'])('nobody behind the request: %s', (why) => {
    const principals = [{ personId: 'grace', why }]
    const behind = judgeEligibility({ ...facts, principals })
    expect(behind).toMatchObject({ canDecide: false, which: 'behind_request' })
    expect(behind.reason).toMatch(/^you can't decide: (you|your) /)
    const renamed = { ...grace, id: 'grace at another address', otherIds: ['grace'] }
    expect(judgeEligibility({ ...facts, person: renamed, principals })).toEqual(behind)
    expect(judgeEligibility({ ...facts, principals, selfApproval: true })).toMatchObject({
      canDecide: true,
      selfApproved: true,
    })
  })

  test('a person behind it for two reasons gets the strongest one, in whatever order they are stored', () => {
    const principals = ['messaged', 'started'].map((why) => ({ personId: 'grace', why }))
    for (const behind of [principals, principals.toReversed()]) {
      const { reason } = judgeEligibility({ ...facts, principals: behind })
      expect(reason).toBe("you can't decide: you started this run")
    }
  })

  test('a question is answered and an outcome check is settled, in the words of the refusal too', () => {
    const person = { ...grace, teams: [] }
    const reasons = runNeeds.map((need) => judgeEligibility({ ...facts, need, person }).reason)
    expect(reasons).toEqual(
      ['decide', 'answer', 'settle'].map(
        (verb) => `you can't ${verb}: you are not in platform or security`,
      ),
    )
  })

  test('self-approval does not make up for the team', () => {
    const principals = [{ personId: 'grace', why: 'started' }]
    const person = { ...grace, teams: [] }
    expect(judgeEligibility({ ...facts, person, principals, selfApproval: true })).toMatchObject({
      which: 'not_in_team',
    })
  })
})
