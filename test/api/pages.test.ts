import { describe, expect, test } from 'vitest'
import { createTestApi } from './test-api.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'

const api = disposeAfterTests(await createTestApi())
const ada = await api.signIn(api.people.ada)
for (const name of ['one', 'two', 'three', 'four', 'five']) {
  await ada.post('/v1/keys', { name, scopes: ['runs:read'] })
}

interface Listed {
  readonly name: string
}

async function page(path: string, cursor: string | null, limit: number) {
  const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
  const { body } = await ada.get(`${path}?limit=${limit}${more}`)
  return body as { items: Listed[]; nextCursor: string | null }
}

describe.each(['/v1/keys', '/v1/people', '/v1/queues', '/v1/workers'])('the list %s', (path) => {
  test('comes in pages without gap or repeat, whose last one has no cursor', async () => {
    const whole = await page(path, null, 200)
    expect(whole.nextCursor).toBeNull()
    expect(whole.items.length).toBeGreaterThan(0)
    const paged: Listed[] = []
    for (let cursor: string | null = null; ;) {
      const one = await page(path, cursor, 1)
      expect(one.items).toHaveLength(1)
      paged.push(...one.items)
      cursor = one.nextCursor
      if (cursor === null) break
    }
    expect(paged).toEqual(whole.items)
  })

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=WyJvdGhlciIsImEiXQ', 'page=2'])(
    'refuses ?%s',
    async (query) => {
      expect(await ada.get(`${path}?${query}`)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request' },
      })
    },
  )
})
