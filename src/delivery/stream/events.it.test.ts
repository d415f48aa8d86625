import { newId } from '#domain/new-id.ts'
import { describe, expect, it } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import type { Tx } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import { EventFeed } from './event-feed.ts'
import { EventSequencer } from './event-sequencer.ts'
import { silentLog } from '#test/harness/silent-log.ts'

const changed = (tx: Tx, runId: string) =>
  writeRecords(tx, { events: [{ type: 'run.changed', subject: { runId } }] }, null)

const database = disposeAfterTests(await createTestDatabase())

const log = silentLog

describe('live stream', () => {
  it('skips no event for a reader who follows while ten writers commit out of order and two sequencers race', async () => {
    const { db, url } = database
    await using _one = new EventSequencer({ db, databaseUrl: url, log })
    await using _two = new EventSequencer({ db, databaseUrl: url, log })
    await using feed = new EventFeed({ db, databaseUrl: url })
    const events: string[] = []
    let at = 0n
    const reading = waitUntil(
      async () => {
        for (const event of await feed.since(at, 7)) {
          expect(event.sequence).toBe(at + 1n)
          at = event.sequence
          events.push(JSON.stringify(event.subject))
        }
        return events.length === 200
      },
      { everyMs: 5 },
    )
    await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let index = 0; index < 20; index += 1) {
          await db.transaction().execute(async (tx) => {
            await changed(tx, `${writer}.${index}`)
            // Some commit late: their event is older than others that have a number already.
            if (index % 5 === 0) await tx.selectFrom('person').selectAll().execute()
          })
        }
      }),
    )
    await reading
    expect(new Set(events).size).toBe(200)
  })

  it('calls subscribers when there is more to read', async () => {
    const { db, url } = database
    await using _one = new EventSequencer({ db, databaseUrl: url, log })
    await using feed = new EventFeed({ db, databaseUrl: url })
    let count = 0
    const stop = feed.subscribe(() => {
      count += 1
    })
    const before = await feed.latest()
    await db.transaction().execute((tx) => changed(tx, 'x'))
    await waitUntil(async () => count > 0 && (await feed.latest()) > before)
    // Readers at the same position that are notified together cause one query.
    const [one, other, later] = await Promise.all([
      feed.since(before, 7),
      feed.since(before, 7),
      feed.since(before + 1n, 7),
    ])
    expect(one).toHaveLength(1)
    expect(other).toBe(one)
    expect(later).toEqual([])
    stop()
  })

  it('numbers an event without a notification in its next round', async () => {
    const { db, url } = database
    await using _one = new EventSequencer({ db, databaseUrl: url, log, restMs: 500 })
    const id = newId()
    const subject = JSON.stringify({ runId: 'unheard' })
    await db.insertInto('event').values({ id, type: 'run.changed', subject }).execute()
    const numbered = () =>
      db.selectFrom('event').select('sequence').where('id', '=', id).executeTakeFirstOrThrow()
    await waitUntil(async () => (await numbered()).sequence !== null)
  })

  it('takes a number only once', async () => {
    const { db } = database
    const insert = (sequence: string) => {
      const subject = JSON.stringify({ runId: 'one' })
      const row = { id: newId(), sequence, type: 'run.changed', subject }
      return db.insertInto('event').values(row).execute()
    }
    await insert('1000000')
    await expect(insert('1000000')).rejects.toThrow(/event_by_sequence/)
    await insert('1000001')
  })
})
