import type { Request, Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hungDatabase } from '#test/harness/fake-database.ts'
import type { Api } from '../context/api.ts'
import { authenticate, limitRequests } from './authenticate.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a collector with a key gets an answer within seconds while Postgres hangs', async () => {
  const api = { ctx: { db: hungDatabase().db } } as Api
  const request = {
    baseUrl: '/metrics',
    ip: '127.0.0.1',
    headers: { authorization: `Bearer cs_0123456789abcdef_${'a'.repeat(43)}` },
  } as Request
  const next = vi.fn<() => void>()
  const answer = Promise.resolve(
    authenticate(api, { judgedAgain: [], perSecond: 1 })(request, { locals: {} } as Response, next),
  ).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(3000)
  expect(await answer).toMatchObject({ code: 'unavailable', facts: { cause: 'database_away' } })
  expect(next).not.toHaveBeenCalled()
})

// Rules: security.md 21
test('of many unknown keys that an address sends at once, ten are looked up at a time', async () => {
  const { db, queries } = hungDatabase()
  const identify = authenticate({ ctx: { db } } as Api, { judgedAgain: [], perSecond: 1 })
  const send = (index: number, ip: string): void => {
    const authorization = `Bearer cs_0123456789abcdef_${String(index).padStart(43, 'a')}`
    const request = { baseUrl: '/v1', ip, headers: { authorization } } as Request
    void identify(request, { locals: {} } as Response, () => undefined)
  }
  for (let index = 0; index < 500; index += 1) send(index, '127.0.0.1')
  await vi.advanceTimersByTimeAsync(100)
  expect(queries()).toBe(10)
  send(500, '127.0.0.2')
  await vi.advanceTimersByTimeAsync(100)
  expect(queries()).toBe(11)
})

// Rules: security.md 21
test('the many sessions of one person are limited together, and those of other people are not', async () => {
  const perSecond = limitRequests(2)
  const ask = async (personId: string, tokenHash: string): Promise<unknown> => {
    const session = { person: { id: personId }, tokenHash }
    const response = { locals: { identity: { kind: 'session', session } } } as unknown as Response
    const request = { ip: '127.0.0.1', headers: {} } as Request
    for (const limit of perSecond) {
      const error = await new Promise((resolve) => void limit(request, response, resolve))
      if (error !== undefined) return error
    }
    return null
  }
  const answers: unknown[] = []
  for (let session = 0; session < 12; session += 1) answers.push(await ask('ada', `of ${session}`))
  expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null))
  expect(answers[10]).toMatchObject({ code: 'rate_limited' })
  expect(await ask('grace', 'of grace')).toBeNull()
})
