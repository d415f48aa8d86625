import { afterEach, expect, test, vi } from 'vitest'
import { waitForServer, type AwaitedServer } from './wait-for-server.ts'

afterEach(() => vi.restoreAllMocks())

/** A server that answers from its third question on. */
function slowServer(more: Partial<AwaitedServer<string>> = {}): AwaitedServer<string> {
  let callCount = 0
  return {
    name: 'Temporal at x',
    ask: async () => {
      callCount += 1
      if (callCount < 3) throw new Error('deadline exceeded')
      return 'here'
    },
    mayPass: () => true,
    remedy: 'start it',
    patienceMs: 60_000,
    stopping: new AbortController().signal,
    ...more,
  }
}

test('a server that answers late is waited for', async () => {
  expect(await waitForServer(slowServer())).toBe('here')
})

test('a server that stays away is named with what to do', async () => {
  await expect(waitForServer(slowServer({ patienceMs: 0 }))).rejects.toThrow(
    'Temporal at x did not answer within 0 s (deadline exceeded): start it',
  )
})

test('what does not pass by itself is not waited for', async () => {
  const never = slowServer({ mayPass: () => false })
  await expect(waitForServer(never)).rejects.toThrow(/^deadline exceeded$/)
})

test('a process that has to end stops waiting', async () => {
  await expect(waitForServer(slowServer({ stopping: AbortSignal.abort() }))).rejects.toThrow(
    'did not answer within 0 s',
  )
})

/** A server at whose first question the clock of the machine is set. */
function clockSetting(minutes: number, patienceMs: number): AwaitedServer<string> {
  const server = slowServer({ patienceMs })
  const ask = (): Promise<string> => {
    const setMs = Date.now() + minutes * 60_000
    if (!vi.isMockFunction(Date.now)) vi.spyOn(Date, 'now').mockImplementation(() => setMs)
    return server.ask()
  }
  return { ...server, ask }
}

test('a clock that is set forward does not end the wait', async () => {
  expect(await waitForServer(clockSetting(10, 60_000))).toBe('here')
})

test('a clock that is set back does not lengthen the wait', async () => {
  await expect(waitForServer(clockSetting(-10, 1))).rejects.toThrow('did not answer within')
})
