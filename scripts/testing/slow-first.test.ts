import { expect, test } from 'vitest'
import type { TestSpecification } from 'vitest/node'
import { SlowFirst } from './slow-first.ts'

/** A file that took so long in the last run. */
interface File {
  readonly project: string
  readonly moduleId: string
  readonly duration: number
}

async function order(files: readonly File[]): Promise<string[]> {
  const specifications = files.map(({ project: name, moduleId, duration }) => ({
    moduleId,
    duration,
    project: { name, config: { isolate: false, sequence: { groupOrder: 0 } } },
  }))
  const cache = {
    getTestSpecificationResult: ({ duration }: { duration: number }) => ({
      duration,
      failed: false,
    }),
  }
  const sequencer = new SlowFirst({ cache } as never)
  // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, of a copy
  const inOrder = await sequencer.sort(specifications as unknown as TestSpecification[])
  return inOrder.map(({ moduleId }) => moduleId)
}

test('the longest file of all begins first, then those of `slow`, then those of `processes`', async () => {
  const files = [
    { project: 'processes', moduleId: '/test/faults/race.test.ts', duration: 3 },
    { project: 'slow', moduleId: '/test/slow/killed/killed.test.ts', duration: 40 },
    { project: 'processes', moduleId: '/test/runtime/start.test.ts', duration: 90 },
    { project: 'slow', moduleId: '/test/slow/chaos/chaos.test.ts', duration: 30 },
    { project: 'slow', moduleId: '/test/slow/backup.test.ts', duration: 60 },
  ]
  expect(await order(files)).toEqual([
    '/test/slow/chaos/chaos.test.ts',
    '/test/slow/backup.test.ts',
    '/test/slow/killed/killed.test.ts',
    '/test/runtime/start.test.ts',
    '/test/faults/race.test.ts',
  ])
})
