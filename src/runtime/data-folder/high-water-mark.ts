import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { TrailNotifications } from '#delivery/audit-log/trail-notifications.ts'
import { fallBackPausesMs } from '#delivery/listener.ts'
import { RepeatedWork } from '#delivery/repeated-work.ts'
import { shareRunning } from '#domain/sharing/share-running.ts'
import type { Db } from '#store/database.ts'
import { writeWhole } from '../files.ts'
import { Refusal } from '../processes/serve-process.ts'

// The time of the newest audit event and the number of all are stored outside Postgres, as a mark.
// A Postgres that has fewer, or whose newest one is older, was emptied or restored from an older
// copy, and is refused before `countersign doctor --repair`: a permit that was used since would be
// live in it again. The number grows also after the clock of Postgres was set back.

/** The mark is written at most this often. */
const gatherMs = 1_000

interface Mark {
  readonly at: string
  /** `null`: an earlier version wrote the mark */
  readonly events: number | null
}

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
  if (newest !== null && hasReached(newest, mark)) return null
  const text = ({ at, events }: Mark) => (mark.events === null ? at : `${at} (event ${events})`)
  return { mark: text(mark), newest: newest === null ? null : text(newest) }
}

function hasReached(newest: Mark, mark: Mark): boolean {
  return newest.at >= mark.at && (newest.events ?? 0) >= (mark.events ?? 0)
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
  const aheadMs = Date.parse(newest.at) - Date.parse(mark.at)
  return hasReached(newest, mark) && aheadMs < 60_000
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
    const nextMark = newest === null ? null : `${newest.at}\n${newest.events}\n`
    if (nextMark === null || nextMark === lastMark) return
    await writeWhole(markFile(dataDir), nextMark, 0o666)
    lastMark = nextMark
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

async function readMark(dataDir: string): Promise<Mark | null> {
  const text = await readFile(markFile(dataDir), 'utf8').catch(() => '')
  const [, at, events] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)(?:\n(\d+))?$/.exec(text.trim()) ?? []
  return at === undefined ? null : { at, events: events === undefined ? null : Number(events) }
}

/** The time is compared as text: always UTC, always to the microsecond. */
async function newestEvent(db: Db): Promise<Mark | null> {
  const { rows } = await sql<{ at: string; events: string }>`
    select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
      (select coalesce(max(index) + 1, 0) from audit_leaf)
        + (select count(*) from audit_unsequenced) as events
    from audit_event order by at desc, id desc limit 1
  `.execute(db)
  const [newest] = rows
  return newest === undefined ? null : { at: newest.at, events: Number(newest.events) }
}

function markFile(dataDir: string): string {
  return join(dataDir, 'newest-record')
}
