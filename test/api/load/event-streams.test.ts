import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { waitUntil } from '../../harness/wait-until.ts'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'

const api = disposeAfterTests(await createTestApi())

/** An event stream, read until its other end closes it. */
async function open(headers: Record<string, string>) {
  const leaving = new AbortController()
  const response = await fetch(`${api.url}/v1/events`, { headers, signal: leaving.signal })
  const stream = {
    status: response.status,
    response,
    text: '',
    ended: false,
    leave: () => leaving.abort(),
  }
  void (async () => {
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) stream.text += decoder.decode(part as Uint8Array)
  })()
    .catch(() => undefined)
    .finally(() => (stream.ended = true))
  return stream
}

const opened = (count: number, headers: Record<string, string>) =>
  Promise.all(Array.from({ length: count }, () => open(headers)))

// Rules: security.md 37
describe('event streams', () => {
  test('of one session are at most 20: the oldest ends for a newer one, and is told to come back', async () => {
    const { cookie } = (await api.signIn(api.people.ada)).headers
    const headers = { cookie: cookie ?? '' }
    const oldest = await open(headers)
    const more = await opened(120, headers)
    expect(more.filter(({ status }) => status !== 200)).toEqual([])
    await waitUntil(async () => more.filter(({ ended }) => !ended).length === 20, {
      withinMs: 30_000,
    })
    await waitUntil(async () => oldest.ended, { withinMs: 30_000 })
    expect(oldest.text).toContain('retry: 30000')
    const other = await api.signIn(api.people.grace)
    const [theirs] = await opened(1, { cookie: other.headers['cookie'] ?? '' })
    expect(theirs).toMatchObject({ status: 200, ended: false })
    for (const stream of [...more, theirs]) stream?.leave()
  })

  test('of one key are at most 20, and more are refused until one ends', async () => {
    const program = await createProgram(api, await api.signIn(api.people.ada))
    const headers = { authorization: `Bearer ${program.key}` }
    const open20 = await opened(20, headers)
    expect(open20.every(({ status }) => status === 200)).toBe(true)
    const refused = await fetch(`${api.url}/v1/events`, { headers })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ code: 'rate_limited', most: 20 })
    open20[0]?.leave()
    await waitUntil(
      async () => {
        const again = await open(headers)
        again.leave()
        return again.status === 200
      },
      { withinMs: 30_000 },
    )
    for (const stream of open20) stream.leave()
  })
})
