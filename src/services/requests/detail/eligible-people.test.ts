import { expect, test } from 'vitest'
import { eligiblePeople } from './eligible-people.ts'

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
const counted = [{ person: { id: 'Grace', name: 'Grace' }, team: 'platform' }]
const needed = (item: { kind: 'tool_call' | 'question'; counted: typeof counted }) =>
  eligiblePeople(
    {
      state: 'pending',
      kind: item.kind,
      quorum: { required: [], missing: [], text: '', counted: item.counted },
    },
    row,
  ).flatMap(({ name, fillsPlace }) => (fillsPlace ? [name] : []))

// Rules: product.md 18
test('only people whose approval fills an open place are said to bring a request forward', () => {
  expect(needed({ kind: 'tool_call', counted: [] })).toEqual(['Grace', 'Linus', 'Olga', 'Edsger'])
  expect(needed({ kind: 'tool_call', counted })).toEqual(['Olga', 'Edsger'])
  expect(needed({ kind: 'question', counted: [] })).toHaveLength(4)
})
