import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { AuditSequencer } from '#delivery/audit-log/audit-sequencer.ts'
import { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { writeRecords } from '#store/records/records.ts'
import type { TestDatabase } from '#test/harness/postgres.ts'
import { monotonicMs, percentiles, round } from '../figures.ts'
import { onOwnPostgres } from '../own-postgres.ts'
import { Checkpoints, type Commits } from './checkpoints.ts'

const writers = 10
const eventsOfWriter = 1500
const restingEvents = 40
const restMs = 250

/**
 * Measures the sequencer with ten writers, with a writer that commits late, and with single events
 * at rest; and a floor of plain inserts.
 */
export async function benchSequencer(): Promise<object> {
  return onOwnPostgres(async (database) => {
    await using open = openDatabase(database)
    const { db } = open
    const floor = await plainInserts(db)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const signer = { key: noteKey('countersign/bench', publicKey), privateKey }
    const failures: unknown[] = []
    const log = { info: fine, warn: fine, error: (fields: unknown) => failures.push(fields) }
    await using trail = new TrailNotifications({ databaseUrl: database.url })
    await using _sequencer = new AuditSequencer({ db, signer, log, trail })
    await using checkpoints = new Checkpoints(db)
    const loaded = await underLoad(db, checkpoints)
    const resting = await atRest(db, checkpoints)
    if (failures.length > 0) throw new Error(JSON.stringify(failures))
    const ratio = round(loaded.appendedPerSecond / floor)
    return {
      writers,
      floorPerSecond: floor,
      ...loaded,
      ratioToFloor: ratio,
      restingDelayMs: resting,
    }
  })
}

function fine(): void {}

function openDatabase(database: TestDatabase): AsyncDisposable & { readonly db: Db } {
  const { url } = database
  const db = connectDatabase({ url, poolSize: writers + 5, applicationName: 'countersign bench' })
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The rows per second of as many writers that insert rows of the same size into a plain table. */
async function plainInserts(db: Db): Promise<number> {
  await sql`create table plain (id uuid primary key, document text not null)`.execute(db)
  const document = JSON.stringify({ ...entry('floor'), id: randomUUID(), at: new Date() })
  const insert = () =>
    db
      .transaction()
      .execute((tx) => sql`insert into plain values (${randomUUID()}, ${document})`.execute(tx))
  return perSecond(() => byWriters(insert))
}

async function underLoad(db: Db, checkpoints: Checkpoints) {
  const commits: Commits = new Map()
  const late = Promise.withResolvers<void>()
  const committedLate = write(db, commits, () => late.promise)
  const began = monotonicMs()
  const appendedPerSecond = await perSecond(() => byWriters(() => write(db, commits)))
  late.resolve()
  const latePlace = await committedLate
  await checkpoints.cover(writers * eventsOfWriter + 1)
  const coveredPerSecond = Math.round(commits.size / ((monotonicMs() - began) / 1000))
  const delays = await checkpoints.delays(commits)
  const delayMs = percentiles([...delays.values()])
  const lateDelayMs = round(delays.get(latePlace) ?? Number.NaN)
  return { events: commits.size, appendedPerSecond, coveredPerSecond, delayMs, lateDelayMs }
}

/** Single events at rest: measures the waiting time for the sequencer's round, not its work. */
async function atRest(db: Db, checkpoints: Checkpoints): Promise<object> {
  const commits: Commits = new Map()
  for (let event = 0; event < restingEvents; event += 1) {
    await write(db, commits)
    // A pause that does not coincide with the sequencer's rounds of a second.
    await delay(restMs + event * 7)
  }
  await checkpoints.cover(writers * eventsOfWriter + 1 + restingEvents)
  return percentiles([...(await checkpoints.delays(commits)).values()])
}

function entry(place: string) {
  return {
    type: 'system.started',
    actor: { type: 'system' },
    channel: 'system',
    detail: { place, why: 'measuring how fast the trail is covered by signed checkpoints' },
  } as const
}

/** Writes an event as a verb does, its transaction open for `whileOpen`. Returns its place. */
async function write(db: Db, commits: Commits, whileOpen?: () => Promise<void>): Promise<string> {
  const place = randomUUID()
  await db.transaction().execute(async (tx) => {
    await writeRecords(tx, { audit: [entry(place)] }, null)
    await whileOpen?.()
  })
  commits.set(place, monotonicMs())
  return place
}

async function byWriters(work: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let done = 0; done < eventsOfWriter; done += 1) await work()
    }),
  )
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const began = monotonicMs()
  await work()
  return Math.round((writers * eventsOfWriter) / ((monotonicMs() - began) / 1000))
}
