import { expect, test } from 'vitest'
import type { RequestSort } from '#domain/requests/request.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { listRequests } from './list-requests.ts'

const desk = disposeAfterTests(await openAgentDesk())
/** of two turns, each with its requests in call order */
const turns: string[][] = []
for (const name of ['first', 'second']) {
  const runId = await desk.start()
  desk.say({
    calls: [1, 2, 3].map((place) => ({
      tool: 'write_file',
      input: { path: `notes/${name}-${place}.md`, content: 'x\n' },
    })),
  })
  await desk.turn(runId, 1)
  turns.push((await desk.calls(runId, 1)).map((call) => call.requestId))
}

/** and the turn that comes first in it */
const sorts: [RequestSort, number][] = [
  ['urgency', 0],
  ['createdAt', 1],
  ['age', 0],
  ['expiresAt', 0],
  ['risk', 0],
]

// Rules: product.md 15
test.each(sorts)(
  'by %s, the requests of one turn stand together, in call order, on every page',
  async (...of) => {
    const [sort, first] = of
    const expected = [...(turns[first] ?? []), ...(turns[1 - first] ?? [])]
    for (const limit of [1, 2, 4, 50]) {
      const found: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Awaited<ReturnType<typeof listRequests>> = await listRequests(
          desk.api,
          desk.people.grace.caller,
          { sort, limit, state: 'pending', ...(cursor === '' ? {} : { cursor }) },
        )
        found.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect(found).toEqual(expected)
    }
  },
)
