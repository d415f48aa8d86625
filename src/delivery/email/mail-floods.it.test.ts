import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'
import {
  choose,
  database,
  grace,
  linus,
  mailed,
  open,
  openRelay,
  server,
  useMailDesk,
} from './mail.fixture.ts'

useMailDesk()

async function untilNothingWaits(): Promise<void> {
  await waitUntil(async () => {
    const { db } = database
    const unnumbered = await db
      .selectFrom('event')
      .select('id')
      .where('sequence', 'is', null)
      .execute()
    const waiting = await db
      .selectFrom('delivery')
      .select('id')
      .where('state', '=', 'pending')
      .execute()
    return server.received.length > 0 && unnumbered.length + waiting.length === 0
  })
}

async function flood(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await open({ input: { path: `notes/${n}.md`, content: '' } })
}

// Rules: security.md 37
it('mails a person at most 30 times an hour about the requests that open in a queue, and says so in the last mail', async () => {
  await choose(grace, { choice: 'atOnce' })
  await flood(40)
  const other = await open({
    routing: { queue: 'releases' },
    input: { path: 'other.md', content: '' },
  })
  await using _relay = openRelay()
  await untilNothingWaits()
  const flooded = server.received.filter(({ raw }) => !raw.includes(other.id))
  expect(flooded).toHaveLength(30)
  const notes = flooded.filter(({ message }) => message.text?.includes('within an hour'))
  expect(notes).toHaveLength(1)
  expect(mailed()).toContain('grace: Waits for a decision: Write "other.md"')
})

// Rules: security.md 37
it('says that no more mails follow, also where the request of the last one ended before it was sent', async () => {
  const { db } = database
  await db.deleteFrom('delivery').execute()
  await choose(grace, { choice: 'atOnce' })
  server.refuse = 'message'
  await using _relay = openRelay({ pausesMs: [3_600_000] })
  await flood(30)
  const tried = db.selectFrom('delivery').select('request_id').where('last_error', 'is not', null)
  await waitUntil(async () => (await tried.execute()).length === 30)
  const mailedIds = (await tried.execute()).map(({ request_id: id }) => id ?? '')
  await db.updateTable('request').set({ state: 'expired' }).where('id', 'in', mailedIds).execute()
  server.refuse = null
  await db
    .updateTable('delivery')
    .set({ next_attempt_at: sql`clock_timestamp()` })
    .execute()
  await untilNothingWaits()
  expect(server.received.map(({ message }) => message.text?.slice(0, 90))).toEqual([
    expect.stringMatching(/^This is the 30th mail of this kind about platform within an hour/),
  ])
})

it('lets no person wait for the mails of another', async () => {
  await database.db.deleteFrom('delivery').execute()
  await choose(grace, { choice: 'atOnce' })
  await flood(30)
  const pending = await open({
    routing: {
      queue: 'security',
      team: 'security',
      quorum: { any: [[{ team: 'security', count: 1 }]] },
    },
    input: { path: 'other.md', content: '' },
  })
  await choose(linus, { choice: 'nothing' })
  await using _relay = openRelay({}, { choice: 'atOnce' })
  await untilNothingWaits()
  const place = server.received.findIndex(({ raw }) => raw.includes(pending.id))
  expect(server.received).toHaveLength(31)
  expect(place).toBeGreaterThanOrEqual(0)
  expect(place).toBeLessThan(8)
})

// Rules: security.md 37
it('counts the hour by when requests opened: those of an earlier hour, mailed late, hide none of this one', async () => {
  const { db } = database
  await db.deleteFrom('delivery').execute()
  await choose(grace, { choice: 'atOnce' })
  await flood(40)
  await db
    .updateTable('event')
    .set({ created_at: sql`created_at - interval '2 hours'` })
    .execute()
  const recent = await open({ input: { path: 'recent.md', content: '' } })
  await using _relay = openRelay()
  await untilNothingWaits()
  expect(server.received).toHaveLength(31)
  expect(server.received.filter(({ raw }) => raw.includes(recent.id))).toHaveLength(1)
})
