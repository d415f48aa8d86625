import { expect, test } from 'vitest'
import { namesLeft, namesOf, peopleLeft, waitWords } from './people-left.ts'

const [grace, linus, olga] = ['Grace', 'Linus', 'Olga'].map((name) => ({ id: name, name }))
const request = {
  eligiblePeople: [
    { ...grace!, awayUntil: '2027-01-04T09:00:00Z', fillsPlace: true },
    { ...linus!, awayUntil: null, fillsPlace: true },
    { ...olga!, awayUntil: null, fillsPlace: false },
  ],
  quorum: {
    required: [],
    counted: [{ person: olga!, team: 'operators' }],
    missing: [],
    text: '2 of platform',
  },
}

test('people who have voted are not listed as able to decide, and people who are away come last, marked', () => {
  expect(peopleLeft(request).map(({ id }) => id)).toEqual(['Grace', 'Linus'])
  expect(namesLeft(request)).toBe('Linus, Grace (away)')
  expect(namesLeft({ ...request, eligiblePeople: [] })).toBe('')
  expect(namesOf([{ name: 'Grace', awayUntil: '2027-01-04T09:00:00Z' }, { name: 'Ada' }])).toBe(
    'Ada, Grace (away)',
  )
})

test('a request names the people for whom it waits, and says so when nobody can decide it', () => {
  expect(waitWords(request)).toBe('waits for Linus, Grace (away)')
  const [first, second] = request.eligiblePeople
  const onlyGrace = { ...request, eligiblePeople: [first!, { ...second!, fillsPlace: false }] }
  expect(waitWords(onlyGrace)).toBe('waits for Grace (away)')
  expect(waitWords({ ...request, eligiblePeople: [] })).toBe('nobody can decide it at the moment')
})
