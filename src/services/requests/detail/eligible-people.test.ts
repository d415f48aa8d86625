import { expect, test } from 'vitest'
import { eligiblePeople } from './eligible-people.ts'
import type { DetailRow } from './read-detail.ts'

const person = (name: string, ...teams: string[]) => ({
  id: name,
  name,
  awayUntil: null,
  otherIds: [],
  teams,
})
const row = {
  quorum: {
    any: [
      [
        { team: 'platform', count: 1 },
        { team: 'operators', count: 1 },
      ],
    ],
  },
  eligible: [
    person('Grace', 'platform'),
    person('Linus', 'platform'),
    person('Olga', 'operators'),
    person('Edsger', 'platform', 'operators'),
  ],
}
const approvalOf = (name: string, revision = 2): DetailRow['decisions'][number] => ({
  decisionId: name,
  person: { id: name, name },
  decision: 'approve',
  revision,
  reasonHash: null,
  at: '2026-11-29T12:00:00Z',
  selfApproved: false,
  edited: false,
  scope: 'once',
  then: null,
  batchDecisionId: null,
  signedWith: null,
})
const needed = (
  kind: 'tool_call' | 'question' | 'outcome_check',
  of: Partial<Pick<DetailRow, 'quorum' | 'decisions' | 'eligible'>> = {},
) =>
  eligiblePeople({ state: 'pending', kind, revision: 2 }, { ...row, decisions: [], ...of }).flatMap(
    ({ name, fillsPlace }) => (fillsPlace ? [name] : []),
  )

// Rules: product.md 18
test('only people whose approval fills an open place are said to bring a request forward', () => {
  expect(needed('tool_call')).toEqual(['Grace', 'Linus', 'Olga', 'Edsger'])
  expect(needed('tool_call', { decisions: [approvalOf('Grace')] })).toEqual(['Olga', 'Edsger'])
  expect(needed('tool_call', { decisions: [approvalOf('Grace', 1)] })).toHaveLength(4)
  expect(needed('question')).toHaveLength(4)
  const linus = { ...person('Linus', 'platform'), otherIds: ['Linus at the provider'] }
  const decisions = [approvalOf('Linus at the provider')]
  const quorum = { any: [[{ team: 'platform', count: 2 }]] }
  const eligible = [linus, person('Grace', 'platform')]
  expect(needed('tool_call', { quorum, decisions, eligible })).toEqual(['Grace'])
  expect(needed('outcome_check', { decisions: [approvalOf('Grace', 1)] })).toHaveLength(4)
})

// Rules: product.md 18
test('an approval counts in each alternative of a quorum, not only in the one that is nearest', () => {
  const quorum = { any: [[{ team: 'operators', count: 1 }], [{ team: 'platform', count: 2 }]] }
  expect(needed('tool_call', { quorum })).toEqual(['Grace', 'Linus', 'Olga', 'Edsger'])
  const decisions = [approvalOf('Grace')]
  expect(needed('tool_call', { quorum, decisions })).toEqual(['Linus', 'Olga', 'Edsger'])
})
