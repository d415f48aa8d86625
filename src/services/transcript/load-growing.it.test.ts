import { describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { putContent } from '#store/content/content.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { lengthenRun } from '#test/harness/fixtures/runs/long-run.ts'
import { messageRun } from '../runs/message-run.ts'
import { loadGrowingTranscript } from './load-growing.ts'
import { loadTranscript } from './load-transcript.ts'
import { TranscriptCache } from './transcript-cache.ts'

const desk = disposeAfterTests(await openAgentDesk())

/** A run of some turns, all known to a cache. */
async function knownRun(turns: number): Promise<{ runId: string; cache: TranscriptCache }> {
  await desk.write('notes/read.md', 'A note\n')
  const runId = await desk.start()
  const calls = [{ tool: 'read_file', input: { path: 'notes/read.md' } }]
  desk.say({ text: 'I read.', calls })
  await desk.perform(await desk.turn(runId, 1))
  await lengthenRun(desk.database.db, runId, turns)
  const cache = new TranscriptCache()
  await read(cache, runId, turns + 1)
  return { runId, cache }
}

const read = (cache: TranscriptCache, runId: string, turn: number) =>
  loadGrowingTranscript(desk.database.db, cache, { runId, turn })

const whole = (runId: string) => loadTranscript(desk.database.db, runId)

describe('a transcript in the cache equals the one in the database,', () => {
  test('turn by turn, with messages in between, and again for a turn that failed', async () => {
    const { runId, cache } = await knownRun(3)
    const known = cache.get(runId)
    expect(known).toMatchObject({ throughTurn: 3 })
    expect(await read(cache, runId, 4)).toEqual(await whole(runId))
    await messageRun(desk.api, desk.people.ada.caller, { runId, text: 'And this?' })
    expect(await read(cache, runId, 4)).toEqual(await whole(runId))
    await lengthenRun(desk.database.db, runId, 5)
    await sql`update message set turn = 4 where run_id = ${runId} and turn is null`.execute(
      desk.database.db,
    )
    const grown = await read(cache, runId, 6)
    expect(grown).toEqual(await whole(runId))
    expect(grown.at(-1)?.calls[0]?.result?.text).toContain('a word of turn')
    expect(cache.get(runId)).toMatchObject({ throughTurn: 5 })
  })

  test.each([
    ['result', 'update tool_call set result_text_hash = $1 where run_id = $2 and turn = 1'],
    ['message', `update message set content_hash = $1 where run_id = $2 and role = 'assistant'`],
  ])('even if an older %s has changed since, which is then read again', async (_part, change) => {
    const { runId, cache } = await knownRun(2)
    const { db } = desk.database
    const hash = await putContent(db, '"something else"')
    const [before = '', after = ''] = change.split('$1')
    await sql`${sql.raw(before)}${hash}${sql.raw(after.replace('$2', `'${runId}'`))}`.execute(db)
    const again = await read(cache, runId, 3)
    expect(JSON.stringify(again)).toContain('something else')
    expect(again).toEqual(await whole(runId))
    expect(await read(cache, runId, 3)).toEqual(again)
  })

  test('and erased contents do not appear again, though they were cached', async () => {
    const { runId, cache } = await knownRun(2)
    const { db } = desk.database
    const [message] = await whole(runId)
    const hash = await putContent(db, JSON.stringify(message?.text))
    const { id } = desk.people.ada
    await sql`insert into erased_content (hash, by_id) values (${hash}, ${id})`.execute(db)
    await sql`update content set encoding = 'removed', bytes = '' where hash = ${hash}`.execute(db)
    await expect(read(cache, runId, 3)).rejects.toThrow(/was removed/)
  })
})

test('the cache keeps the most recently used entries, and none larger than a quarter of it', () => {
  const cache = new TranscriptCache(4000)
  const of = (characters: number) => ({
    throughTurn: 1,
    digest: '',
    messages: [
      {
        from: null,
        turn: 1,
        role: 'user' as const,
        author: null,
        at: new Date(0),
        text: 'x'.repeat(characters),
        sequence: 1,
        calls: [],
      },
    ],
  })
  for (const name of ['a', 'b', 'c', 'd', 'e']) cache.set(name, of(500))
  expect(['a', 'b', 'e'].map((name) => cache.get(name) !== undefined)).toEqual([false, true, true])
  cache.set('b', of(501))
  expect(cache.get('b')).toBeUndefined()
})
