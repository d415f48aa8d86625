import { sql } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Problem } from '#domain/problem.ts'
import { isAhead } from '#store/connection/is-ahead.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { ServiceContext, SystemContext } from '../core/context.ts'
import { lockRequests } from '../core/locks.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { byRefusal, bySystem, reconciler } from '../core/authority.ts'

/** A refused attempt as the audit log records it; a repetition within the minute is counted. */
export interface RefusedAttempt extends AuditEntry {
  readonly type: 'attempt.refused' | 'decision.refused' | 'permit.refused' | 'session.refused'
}

/** After so many different ones of one actor in a minute, events leave out the subject. */
const maxEventsPerMinute = 30
const countedForMs = 60_000

/**
 * Records a refused attempt in the audit log (security.md 33), in a transaction of its own: that of
 * the attempt was rolled back. The same attempt within a minute only counts, and an actor who tries
 * many different ones gets shorter events, so that nobody floods the log. `recordRepeats` records
 * the counts when the minute is over.
 */
export async function recordRefusal(ctx: ServiceContext, attempt: RefusedAttempt): Promise<void> {
  await inUnitOfWork(ctx, byRefusal(attempt), async (unit) => {
    // Events of a request are chained under its lock.
    if (attempt.requestId !== undefined) await lockRequests(unit.tx, [attempt.requestId])
    const actor = hashJson({ ...attempt.actor })
    await sql`select pg_advisory_xact_lock(hashtextextended(${`refused ${actor}`}, 0))`.execute(
      unit.tx,
    )
    const entry = (await isOverLimit(unit.tx, actor, attempt)) ? withoutSubject(attempt) : attempt
    const { rows } = await sql<{ isNew: boolean }>`
      insert into refused_attempt as kept (key, actor, entry, until)
      values (${keyOf(entry)}, ${actor}, ${toJsonb({ ...entry })}, clock_timestamp() + ${sql.lit(countedForMs)} * interval '1 millisecond')
      on conflict (key) do update set repeated = kept.repeated + 1
      returning kept.repeated = 0 as "isNew"
    `.execute(unit.tx)
    if (rows[0]?.isNew === true) await unit.audit(entry)
  })
}

/** Whether the actor has used up the minute's events and this attempt is a new one. */
async function isOverLimit(tx: Tx, actor: string, attempt: RefusedAttempt): Promise<boolean> {
  const { rows } = await sql<{ isOver: boolean }>`
    select count(*) >= ${maxEventsPerMinute} and not bool_or(key = ${keyOf(attempt)}) as "isOver"
    from refused_attempt where actor = ${actor}
  `.execute(tx)
  return rows[0]?.isOver === true
}

function withoutSubject({ type, actor, channel, detail }: RefusedAttempt): RefusedAttempt {
  const { attempt = null, code = null } = detail
  return { type, actor, channel, detail: { attempt, code, many: true } }
}

function keyOf(attempt: RefusedAttempt): string {
  return hashJson({ ...attempt, actor: { ...attempt.actor } })
}

const batchSize = 100

/**
 * Records how often refused attempts were repeated in the minute after their event, and deletes
 * their rows. Each row is deleted in the transaction that writes its event, so that a count is
 * recorded once even if the process is killed.
 */
export async function recordRepeats(ctx: SystemContext): Promise<void> {
  for (;;) {
    const count = await inUnitOfWork(ctx, bySystem(ctx, reconciler), async (unit) => {
      const { rows } = await sql<{ entry: RefusedAttempt; repeated: number }>`
        delete from refused_attempt where key in (
          select key from refused_attempt where not ${isAhead('until', sql.lit(countedForMs))}
          order by until limit ${batchSize} for update skip locked)
        returning entry, repeated
      `.execute(unit.tx)
      const repeated = rows.filter((row) => row.repeated > 0)
      await lockRequests(unit.tx, [
        ...new Set(repeated.flatMap(({ entry }) => entry.requestId ?? [])),
      ])
      for (const { entry, repeated: times } of repeated) {
        await unit.audit({ ...entry, detail: { ...entry.detail, repeated: times } })
      }
      return rows.length
    })
    if (count < batchSize) return
  }
}

const recordedProblems = new WeakSet<Problem>()

/** Marks a refusal that its verb has recorded with more than the route knows. */
export function markRecorded(problem: Problem): void {
  recordedProblems.add(problem)
}

/** Whether a verb has recorded the refusal. The audit log has each refusal once. */
export function isRecorded(problem: Problem): boolean {
  return recordedProblems.has(problem)
}
