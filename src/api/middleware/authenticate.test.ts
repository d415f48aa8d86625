import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hungDatabase } from '#test/harness/fake-database.ts'
import type { Api } from '../context/api.ts'
import { authenticate } from './authenticate.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a collector with a key is answered within seconds while Postgres hangs', async () => {
  const api = { ctx: { db: hungDatabase().db } } as Api
  const request = {
    baseUrl: '/metrics',
    ip: '127.0.0.1',
    headers: { authorization: `Bearer cs_0123456789abcdef_${'a'.repeat(43)}` },
  } as Request
  const next = vi.fn<() => void>()
  const answer = Promise.resolve(
    authenticate(api, [])(request, { locals: {} } as Response, next),
  ).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(3000)
  expect(await answer).toMatchObject({ code: 'unavailable', facts: { cause: 'database_away' } })
  expect(next).not.toHaveBeenCalled()
})
