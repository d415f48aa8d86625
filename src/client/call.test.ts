import { expect, test } from 'vitest'
import { callOver, requestOf } from './call.ts'

test('a value for one part of a path stays one part', () => {
  const params = { id: '../keys?x=1' }
  expect(requestOf('cancelRun', { params, body: {} }).path).toBe(
    '/v1/runs/..%2Fkeys%3Fx%3D1/cancel',
  )
})

test('fields of a query are encoded, and left out when they are undefined', () => {
  const query = { q: 'b&c', limit: 2, state: undefined }
  expect(requestOf('listRequests', { query }).path).toBe('/v1/requests?q=b%26c&limit=2')
  expect(requestOf('listRequests', { query: {} }).path).toBe('/v1/requests')
})

test('a call that reads has no body; a call that acts has one, empty if the verb takes no input', () => {
  expect(requestOf('getMe')).toEqual({ method: 'GET', path: '/v1/me', headers: {} })
  expect(requestOf('signOut')).toEqual({
    method: 'POST',
    path: '/v1/auth/logout',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
})

test('the idempotency key and the time to wait are sent as headers', () => {
  const params = { id: '12' }
  const body = { text: 'Yes' }
  const sending = { idempotencyKey: 'once', preferWaitSeconds: 2 }
  expect(requestOf('answerQuestion', { params, body, ...sending })).toMatchObject({
    headers: { 'idempotency-key': 'once', prefer: 'wait=2' },
    body: '{"text":"Yes"}',
  })
})

test('a call resolves to what its sender answers, and rejects as it does', async () => {
  const call = callOver(async ({ path }) => {
    if (path === '/v1/runs') throw new Error('refused')
    return { path }
  })
  await expect(call('getMe')).resolves.toEqual({ path: '/v1/me' })
  await expect(call('listRuns')).rejects.toThrow('refused')
})
