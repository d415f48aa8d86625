import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { readTasks } from './read-tasks.ts'

const desk = disposeAfterTests(await openAgentDesk())

test.each(['list', 'detail'] as const)(
  'runs with one task have its text each, and it is read once (%s)',
  async (shownIn) => {
    const input = 'Write what the team did in this week.'
    const ids = [await desk.start({ input }), await desk.start({ input }), await desk.start()]
    const rowsWithText: number[] = []
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        rowsWithText.push(result.rows.filter((row) => row['bytes'] instanceof Buffer).length)
        return result
      },
    }
    const tasks = await readTasks(desk.database.db.withPlugin(counting), ids, shownIn)
    const texts = ids.map((id) => tasks.get(id)?.text)
    expect(texts.slice(0, 2)).toEqual([input, input])
    expect(texts[2]).not.toBe(input)
    expect(rowsWithText).toEqual([2])
  },
)
