import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts'
import { aside } from '#test/harness/aside.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { openCheckpoint } from '#evidence/note/checkpoint.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { leafHash } from '#evidence/merkle/tree-hash.ts'
import { treeRoot } from '#evidence/merkle/tree-of-leaves.ts'
import { readLeafDocuments, readNewestCheckpoint, readWholeTile } from '#store/audit/audit-log.ts'
import { connectDatabase, type Tx } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import { appendToLog } from './append-to-log.ts'
import { AuditSequencer, sequenceAudit } from './audit-sequencer.ts'
import { TrailNotifications } from './trail-notifications.ts'
import { silentLog } from '#test/harness/silent-log.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer: NoteSigner = { key: noteKey('test.example/log', publicKey), privateKey }
const log = silentLog

function write(tx: Tx, place: string): Promise<unknown> {
  const actor = { type: 'system' } as const
  const detail = { place }
  return writeRecords(
    tx,
    { audit: [{ type: 'system.started', actor, channel: 'system', detail }] },
    null,
  )
}

/**
 * Recomputes the log as an outsider can: the places of its entries, if the newest checkpoint signs
 * exactly these.
 */
async function coveredPlaces(): Promise<string[]> {
  const newest = await readNewestCheckpoint(database.db)
  if (newest === null) return []
  const { size, root } = openCheckpoint(newest.note, signer.key)
  const documents = await readLeafDocuments(database.db, 0, size)
  expect(treeRoot(documents.map(leafHash))).toEqual(root)
  return documents.map((document) => placeOf(document))
}

function placeOf(document: string): string {
  return (JSON.parse(document) as { detail: { place: string } }).detail.place
}

describe('the audit log', () => {
  it('covers every event once, while ten writers commit, one of them late, and two sequencers race', async () => {
    const { db } = database
    await using trail = new TrailNotifications({ databaseUrl: database.url })
    await using _one = new AuditSequencer({ db, signer, log, trail })
    await using _two = new AuditSequencer({ db, signer, log, trail })
    const lateCommit = Promise.withResolvers<void>()
    const late = db.transaction().execute(async (tx) => {
      await write(tx, 'late')
      await lateCommit.promise
    })
    await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let index = 0; index < 30; index += 1) {
          await db.transaction().execute((tx) => write(tx, `${writer}.${index}`))
        }
      }),
    )
    await waitUntil(async () => (await coveredPlaces()).length === 300)
    lateCommit.resolve()
    await late
    await waitUntil(async () => (await coveredPlaces()).length === 301)
    const places = await coveredPlaces()
    expect(new Set(places).size).toBe(301)
    expect(places.at(-1)).toBe('late')
    expect(await readWholeTile(db, 0, 0)).toHaveLength(256 * 32)
    expect(await sequenceAudit(db, signer)).toBe(0)
  })

  it('covers an event that commits late in the very next round, after all events that it covered before', async () => {
    const { db } = database
    const commit = Promise.withResolvers<void>()
    const written = Promise.withResolvers<void>()
    const late = db.transaction().execute(async (tx) => {
      await write(tx, 'late')
      written.resolve()
      await commit.promise
    })
    await written.promise
    await db.transaction().execute((tx) => write(tx, 'one'))
    await db.transaction().execute((tx) => write(tx, 'two'))
    expect(await sequenceAudit(db, signer)).toBe(2)
    expect(await sequenceAudit(db, signer)).toBe(0)
    commit.resolve()
    await late
    await db.transaction().execute((tx) => write(tx, 'three'))
    expect(await sequenceAudit(db, signer)).toBe(2)
    expect(await coveredPlaces()).toEqual(['one', 'two', 'late', 'three'])
  })

  it('is unchanged when the sequencer is killed between leaves and checkpoint, and the next one covers all events', async () => {
    const { db, url } = database
    for (let index = 0; index < 300; index += 1) {
      await db.transaction().execute((tx) => write(tx, `${index}`))
    }
    const killed = connectDatabase({ url, poolSize: 2, applicationName: 'killed' })
    await db.transaction().execute(async (tx) => {
      // It writes its leaves and its tile, and waits before the checkpoint.
      await sql`lock table audit_checkpoint in share mode`.execute(tx)
      const sequencing = Promise.allSettled([sequenceAudit(killed, signer)])
      await aside(() => waitUntil(async () => (await waitingFor('relation')) === 1))
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'killed'
      `.execute(tx)
      expect(await sequencing).toMatchObject([{ status: 'rejected' }])
    })
    await killed.destroy()
    expect(await coveredPlaces()).toEqual([])
    expect(await sequenceAudit(db, signer)).toBe(300)
    expect(await coveredPlaces()).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`))
  })

  it('lets one of two sequencers win that append at the same index, and loses no event of the other', async () => {
    const { db } = database
    await db.transaction().execute((tx) => write(tx, 'first'))
    const append = () => db.transaction().execute((tx) => appendToLog(tx, signer))
    const atTheLeaf = Promise.withResolvers<void>()
    const [fast, slow] = await Promise.allSettled([
      db.transaction().execute(async (tx) => {
        const appended = await appendToLog(tx, signer)
        atTheLeaf.resolve()
        // The other sequencer writes the same leaf now, and waits for the end of this transaction.
        await aside(() => waitUntil(async () => (await waitingFor('transactionid')) === 1))
        return appended
      }),
      atTheLeaf.promise.then(append),
    ])
    expect(fast).toMatchObject({ status: 'fulfilled', value: 1 })
    expect(slow).toMatchObject({ status: 'rejected', reason: { code: '23505' } })
    await db.transaction().execute((tx) => write(tx, 'second'))
    expect(await append()).toBe(1)
    expect(await coveredPlaces()).toEqual(['first', 'second'])
  })

  it('is signed no more once an event that it covers was changed in the database', async () => {
    const { db } = database
    await db.transaction().execute((tx) => write(tx, 'true'))
    expect(await sequenceAudit(db, signer)).toBe(1)
    const signed = await readNewestCheckpoint(db)
    await sql`alter table audit_event disable trigger audit_event_append_only`.execute(db)
    await sql`update audit_event set document = replace(document, 'true', 'false')`.execute(db)
    await db.transaction().execute((tx) => write(tx, 'next'))
    await expect(sequenceAudit(db, signer)).rejects.toThrow('changed outside of the service')
    expect(await readNewestCheckpoint(db)).toEqual(signed)
    await sql`update audit_event set document = replace(document, 'false', 'true')`.execute(db)
    expect(await sequenceAudit(db, signer)).toBe(1)
    expect(await coveredPlaces()).toEqual(['true', 'next'])
  })

  it('continues only under its own key', async () => {
    const { db } = database
    await db.transaction().execute((tx) => write(tx, 'one'))
    await sequenceAudit(db, signer)
    await db.transaction().execute((tx) => write(tx, 'two'))
    const other = generateKeyPairSync('ed25519')
    const stranger = {
      key: noteKey('test.example/other', other.publicKey),
      privateKey: other.privateKey,
    }
    await expect(sequenceAudit(db, stranger)).rejects.toThrow('not signed by test.example/other')
    expect(await sequenceAudit(db, signer)).toBe(1)
  })
})

/** How many wait for another transaction to end, or for its lock on a table. */
async function waitingFor(what: 'transactionid' | 'relation'): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event = ${what}
  `.execute(database.db)
  return Number(rows[0]?.count ?? 0)
}
