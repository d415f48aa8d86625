import { expect, test, vi } from 'vitest'
import { shareRunning } from './share-running.ts'

test('callers that come while it runs share one result; the next caller starts another read', async () => {
  const running = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let count = 0
  const read = vi.fn<() => Promise<string>>(() => running[count++]?.promise ?? Promise.reject())
  const shared = shareRunning(read)
  const [first, second] = [shared(), shared()]
  running[0]?.resolve('one')
  expect(await Promise.all([first, second])).toEqual(['one', 'one'])
  expect(read).toHaveBeenCalledTimes(1)
  const third = shared()
  running[1]?.resolve('two')
  expect(await third).toBe('two')
})

test('a failure rejects for all callers that waited, and is not stored', async () => {
  const read = vi.fn<() => Promise<string>>()
  read.mockRejectedValueOnce(new Error('away'))
  read.mockResolvedValueOnce('back')
  const shared = shareRunning(read)
  const both = await Promise.allSettled([shared(), shared()])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared()).toBe('back')
})
