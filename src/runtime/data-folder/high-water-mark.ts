import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { RepeatedWork } from '#delivery/repeated-work.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import type { Db } from '#store/database.ts'
import { writeWhole } from '../files.ts'
import { Refusal } from '../processes/serve-process.ts'
import { fallBackPausesMs } from '#delivery/listener.ts'

// The time of the newest audit event is stored outside Postgres, as a mark. A Postgres whose newest
// event is older was emptied or restored from an older copy, and is refused before `countersign
// doctor --repair`: a permit that was used since would be live in it again.

/** The mark is written at most this often. */
const gatherMs = 1_000

export interface RestoredDatabase {
  /** The newest event that was seen, and the newest existing one; `null` when there is none. */
  readonly mark: string
  readonly newest: string | null
}

/** The problem of the database by the mark; `null` when there is none, or no mark yet. */
export async function findRestored(dataDir: string, db: Db): Promise<RestoredDatabase | null> {
  const mark = await readMark(dataDir)
  if (mark === null) return null
  const newest = await newestEvent(db)
  return newest === null || newest < mark ? { mark, newest } : null
}

/**
 * Whether the mark shows that Postgres has lost nothing: it was updated to the newest event, except
 * for the last minute. `false` without a mark, or with one that a process elsewhere would have
 * updated instead.
 */
export async function isKnownWhole(dataDir: string, db: Db): Promise<boolean> {
  const mark = await readMark(dataDir)
  const newest = await newestEvent(db)
  if (mark === null || newest === null) return false
  const aheadMs = Date.parse(newest) - Date.parse(mark)
  return newest >= mark && aheadMs < 60_000
}

/** The sentence for people. */
export function describeRestored({ mark, newest }: RestoredDatabase): string {
  const state = newest === null ? 'is empty' : `ends at ${newest}`
  return (
    `Postgres was emptied or restored from an older copy: its record ${state}, and this installation had come to ${mark}. ` +
    'Nothing was changed. Bring the newer database back, or accept this one with: countersign doctor --repair'
  )
}

/** When a backup was restored that nobody has accepted yet; `null`: none was. */
export async function findUnaccepted(db: Db): Promise<string | null> {
  const row = await db.selectFrom('installation').select('restored_at').executeTakeFirst()
  return row?.restored_at?.toISOString() ?? null
}

/** The same for people. */
export function describeUnaccepted(restoredAt: string): string {
  return (
    `Postgres was restored from a backup at ${restoredAt}, and what was approved may have run since that was made. ` +
    'Nothing was changed. Accept it with: countersign doctor --repair'
  )
}

/** Refuses a database that was emptied or restored, until somebody has accepted it. */
export async function checkNotRestored(dataDir: string, db: Db): Promise<void> {
  const restored = await findRestored(dataDir, db)
  if (restored !== null) throw new Refusal(describeRestored(restored))
  const unaccepted = await findUnaccepted(db)
  if (unaccepted !== null) throw new Refusal(describeUnaccepted(unaccepted))
}

/** Accepts the database as it is. */
export async function forgetMark(dataDir: string): Promise<void> {
  await rm(markFile(dataDir), { force: true })
}

/** Updates the mark within a second of an event, until disposed. */
export function keepMark(dataDir: string, db: Db, trail: TrailNotifications): AsyncDisposable {
  let lastMark: string | null = null
  const write = shareRunning(async () => {
    const newest = await newestEvent(db).catch(() => null)
    if (newest === null || newest === lastMark) return
    await writeWhole(markFile(dataDir), `${newest}\n`, 0o666)
    lastMark = newest
  })
  const next = () => write().catch(() => undefined)
  const rounds = new RepeatedWork({
    everyMs: () => trail.restMs(fallBackPausesMs),
    gatherMs,
    work: next,
    onError: () => undefined,
  })
  trail.onEvents(() => rounds.wake())
  return {
    [Symbol.asyncDispose]: async () => {
      await rounds[Symbol.asyncDispose]()
      // The current write may have read the trail before its last event.
      await next()
      await next()
    },
  }
}

async function readMark(dataDir: string): Promise<string | null> {
  const text = await readFile(markFile(dataDir), 'utf8').catch(() => '')
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text.trim()) ? text.trim() : null
}

/** Compared as text: always UTC, always to the microsecond. */
async function newestEvent(db: Db): Promise<string | null> {
  const { rows } = await sql<{ at: string }>`
    select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from audit_event order by at desc, id desc limit 1
  `.execute(db)
  return rows[0]?.at ?? null
}

function markFile(dataDir: string): string {
  return join(dataDir, 'newest-record')
}
