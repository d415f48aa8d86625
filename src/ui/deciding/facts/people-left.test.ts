import { expect, test } from 'vitest'
import { namesLeft, peopleLeft, waitWords } from './people-left.ts'

const [grace, linus, olga] = ['Grace', 'Linus', 'Olga'].map((name) => ({ id: name, name }))
const request = {
  eligiblePeople: [
    { ...grace!, awayUntil: '2027-01-04T09:00:00Z' },
    { ...linus!, awayUntil: null },
    { ...olga!, awayUntil: null },
  ],
  quorum: {
    required: [],
    counted: [{ person: olga!, team: 'operators' }],
    missing: [],
    text: '2 of platform',
  },
}

test('who has voted is not among the people who can still decide, and who is away comes last and is marked', () => {
  expect(peopleLeft(request).map(({ id }) => id)).toEqual(['Grace', 'Linus'])
  expect(namesLeft(request)).toBe('Linus, Grace (away)')
  expect(namesLeft({ ...request, eligiblePeople: [] })).toBe('')
})

test('a request waits for who is left by name, and says so when nobody can decide it', () => {
  expect(waitWords(request)).toBe('waits for Linus, Grace (away)')
  expect(waitWords({ ...request, eligiblePeople: [] })).toBe('nobody can decide it at the moment')
})
