import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { rememberNamespace } from '#services/installation/remember-namespace.ts'
import { watchNamespace } from './watch-namespace.ts'

const database = disposeAfterTests(await createTestDatabase())
await rememberNamespace(database.db, 'own')

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))

afterEach(() => void vi.useRealTimers())

test('the namespace of another installation is reported once, with what to do', async () => {
  const { db } = database
  const foreign = vi.fn<(sentence: string) => void>()
  const namespaceId = vi.fn<() => Promise<string>>(async () => 'own')
  using watching = watchNamespace({ db, temporal: { namespaceId } }, foreign)
  await vi.waitUntil(() => namespaceId.mock.results.length === 1)
  namespaceId.mockResolvedValue('another')
  await vi.waitUntil(
    () => {
      vi.advanceTimersByTime(5_000)
      return foreign.mock.calls.length > 0
    },
    { timeout: 60_000 },
  )
  vi.advanceTimersByTime(60_000)
  expect(foreign.mock.calls).toEqual([[expect.stringContaining('namespace')]])
  expect(watching).toBeDefined()
})

test('a Temporal that is away is no other one, and one that hangs is asked once', async () => {
  const { db } = database
  const foreign = vi.fn<(sentence: string) => void>()
  const namespaceId = vi.fn<() => Promise<string>>()
  namespaceId.mockRejectedValueOnce(new Error('away'))
  namespaceId.mockReturnValue(Promise.withResolvers<string>().promise)
  using watching = watchNamespace({ db, temporal: { namespaceId } }, foreign)
  await vi.waitUntil(
    () => {
      vi.advanceTimersByTime(5_000)
      return namespaceId.mock.calls.length === 2
    },
    { timeout: 60_000 },
  )
  vi.advanceTimersByTime(300_000)
  expect(namespaceId).toHaveBeenCalledTimes(2)
  expect(foreign).not.toHaveBeenCalled()
  expect(watching).toBeDefined()
})
