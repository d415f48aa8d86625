import { expect, test } from 'vitest'
import { AddressTurns } from './address-turns.ts'

// Rules: security.md 21
test('the work of an address runs at most so many at once and in order, also after a failure', async () => {
  const turns = new AddressTurns(2)
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const answers = ends.map(({ promise }, index) =>
    turns.run('a', async () => {
      begun.push(index)
      return promise
    }),
  )
  const settled = Promise.allSettled(answers)
  await turns.run('b', async () => undefined)
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('away'))
  await answers[1]?.catch(() => undefined)
  expect(begun).toEqual([0, 1, 2])
  for (const [index, { resolve }] of ends.entries()) resolve(index)
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(await turns.run('a', async () => 'again')).toBe('again')
})
