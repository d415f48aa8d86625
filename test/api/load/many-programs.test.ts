import { expect, test } from 'vitest'
import { createTestDatabase } from '../../harness/postgres.ts'
import { createProgram } from '../program.ts'
import { createTestApi } from '../test-api.ts'

/** The default of the API. */
const poolSize = 10

// Rules: security.md 37
test('programs of one owner that ask all at once are answered, and keep nobody else waiting', async () => {
  await using api = await createTestApi({ database: await createTestDatabase({ poolSize }) })
  const ada = await api.signIn(api.people.ada)
  const linus = await api.signIn(api.people.linus)
  const programs = await Promise.all(Array.from({ length: 20 }, () => createProgram(api, ada)))
  const answers = Promise.all(
    programs.flatMap((program, each) =>
      Array.from({ length: 3 }, (_, time) =>
        program.post('/v1/requests', { tool: 'deploy', input: {}, externalId: `${each}-${time}` }),
      ),
    ),
  )
  const over = new AbortController()
  void answers.finally(() => over.abort())
  let reads = 0
  while (!over.signal.aborted) {
    expect((await linus.get('/v1/requests?mine=true')).status).toBe(200)
    reads += 1
  }
  const replies = await answers
  expect(replies.filter(({ status }) => status !== 201)).toEqual([])
  // Each program waits for the lock of their owner; a read waits for none, and comes in between.
  expect(reads).toBeGreaterThan(10)
})
