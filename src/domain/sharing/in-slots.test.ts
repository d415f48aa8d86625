import { expect, test } from 'vitest'
import { inSlots } from './in-slots.ts'

test('every item is worked on once, and no more at once than there are slots', async () => {
  const begun: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const work = inSlots([...ends.entries()], 2, async ([index, { promise }]) => {
    begun.push(index)
    await promise
  })
  expect(begun).toEqual([0, 1])
  for (const end of ends) end.resolve()
  await work
  expect(begun).toEqual([0, 1, 2, 3, 4])
})

test('a failure rejects, and the other slots go on', async () => {
  const done: number[] = []
  const work = inSlots([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error('one failed')
    done.push(item)
  })
  await expect(work).rejects.toThrow('one failed')
  await expect.poll(() => done).toEqual([2, 3, 4])
})
