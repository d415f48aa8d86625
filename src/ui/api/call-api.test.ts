import { afterEach, expect, test, vi } from 'vitest'
import { callApi, isSessionEnd, keepSession, onOtherSession } from './call-api.ts'

afterEach(() => vi.unstubAllGlobals())

function answer(status: number, body: string): void {
  vi.stubGlobal('fetch', async () => new Response(body, { status }))
}

const foreignPage = JSON.stringify({ code: 'csrf_failed', detail: 'not from a page of it' })

test('a refusal of the origin of a call without a token is shown as it is; with one it means another session', async () => {
  let others = 0
  const end = onOtherSession(() => (others += 1))
  answer(403, foreignPage)
  await expect(callApi('getMe')).rejects.toThrow('not from a page of it')
  expect(others).toBe(0)
  keepSession({ person: { id: 'grace' }, csrfToken: 'token of grace' })
  await expect(callApi('signOut')).rejects.toThrow('Somebody signed in in another tab')
  expect(others).toBe(1)
  end()
})

test('only the service ends a session: a 401 of a proxy before it does not', async () => {
  answer(401, '<h1>401 Authorization Required</h1>')
  const byProxy: unknown = await callApi('getMe').catch((error: unknown) => error)
  expect(isSessionEnd(byProxy)).toBe(false)
  answer(401, JSON.stringify({ error: 'authorization required' }))
  const byJson: unknown = await callApi('getMe').catch((error: unknown) => error)
  expect(isSessionEnd(byJson)).toBe(false)
  expect(byJson).toMatchObject({
    code: 'internal',
    message: 'The service answered 401 without a reason. Try again.',
  })
  for (const code of ['unauthenticated', 'session_unproven']) {
    answer(401, JSON.stringify({ code, detail: 'Sign in' }))
    const byService: unknown = await callApi('getMe').catch((error: unknown) => error)
    expect(isSessionEnd(byService)).toBe(true)
  }
})
