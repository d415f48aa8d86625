import { expect, test } from 'vitest'
import { placeInList } from './last-list.ts'

const none: ReadonlySet<number> = new Set()
const list = {
  requests: [
    { number: 7, open: true, isPutOff: false },
    { number: 8, open: false, isPutOff: false },
    { number: 9, open: true, isPutOff: false },
    { number: 10, open: true, isPutOff: false },
  ],
}

test('the neighbours of a request are those that still wait, also of one that was decided meanwhile', () => {
  expect(placeInList(list, 9, none)).toEqual({
    position: 2,
    size: 3,
    next: 10,
    previous: 7,
    nextToDecide: 10,
  })
  expect(placeInList(list, 8, none)).toMatchObject({ position: null, next: 9, previous: 7 })
})

test('after a decision, requests whose decisions are being sent are skipped', () => {
  expect(placeInList(list, 7, new Set([9]))).toMatchObject({ next: 9, nextToDecide: 10 })
  expect(placeInList(list, 10, none)).toMatchObject({ next: null, nextToDecide: null })
})

test('after a decision, a request that the person has put off is skipped', () => {
  const requests = list.requests.map((one) => ({ ...one, isPutOff: one.number === 9 }))
  expect(placeInList({ requests }, 7, none)).toMatchObject({ next: 9, nextToDecide: 10 })
})

test('from a request that is not in the list, the next one is its first', () => {
  expect(placeInList(list, 99, none)).toMatchObject({ position: null, next: 7, previous: null })
})
