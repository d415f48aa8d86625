import { expect } from 'vitest'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { settleOutcome } from '#services/decisions/settle-outcome.ts'
import { messageRun } from '#services/runs/message-run.ts'
import { exportOf } from '../evidence/export-of.ts'
import { deadlocks } from '../fixtures/broken-invariants.ts'
import { coverAudit, logSigner } from '../fixtures/cover-audit.ts'
import { brokenInLife } from './judge-life.ts'
import { hours, type TeamLife } from './team-life.ts'
import { rowsOf } from '../fixtures/rows.ts'

/**
 * Ends everything: pending requests expire, and runs that wait for a message get one. Then nothing
 * may be open, undelivered or broken, and the export must verify with the key of the log alone.
 */
export async function endOfLife(life: TeamLife): Promise<void> {
  const { db, temporal } = life
  temporal.isDown = false
  for (let day = 0; temporal.open > 0; day += 1) {
    expect(day, 'runs do not end').toBeLessThan(60)
    // A day at once, as after an outage: what is due in it comes late, and once.
    await life.clock.pass(hours(24))
    await life.settle()
    await settleChecks(life)
    await wakeStill(life)
    await life.settle()
  }
  expect(await brokenInLife(life)).toEqual([])
  expect(await deadlocks(db)).toBe(0)
  const open = await db.selectFrom('run').select('id').where('ended_at', 'is', null).execute()
  expect(open).toEqual([])
  const openRows = await db
    .selectFrom('outbox')
    .select(['id', 'kind'])
    .where('delivered_at', 'is', null)
    .where('undeliverable_at', 'is', null)
    .execute()
  expect(openRows).toEqual([])
  const started = await db
    .selectFrom('execution')
    .select('call_id')
    .where('started_at', 'is not', null)
    .execute()
  expect(life.desk.executed.length).toBeLessThanOrEqual(started.length)

  await coverAudit(db)
  const files = await exportOf(db, logSigner, life.desk.api.verifier)
  const verdicts = verifyLog(files, logSigner.key, null)
  expect(verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
  expect(verdicts).toHaveLength(6)
}

/** Everybody tries to settle a call with an unknown outcome; the first who may succeeds. */
async function settleChecks(life: TeamLife): Promise<void> {
  const checks = await rowsOf(life.db, 'request', { kind: 'outcome_check', state: 'pending' }, 'id')
  const finding = { ran: true, then: 'continue', reason: 'looked' }
  for (const { id } of checks) {
    for (const { caller } of life.people) {
      await life.call(0, (ctx) => settleOutcome(ctx, caller, { request: id, ...finding }))
    }
  }
}

async function wakeStill(life: TeamLife): Promise<void> {
  const still = await life.db
    .selectFrom('run')
    .select(['id', 'started_by'])
    .where('state', '=', 'waiting_for_input')
    // A conversation ends by itself, when its rest is over.
    .where('rest', 'is distinct from', 'answered')
    .execute()
  for (const { id, started_by } of still) {
    const starter = life.people.find((person) => person.id === started_by)
    if (starter === undefined) throw new Error(`nobody of the team started run ${id}`)
    await life.call(0, (ctx) => messageRun(ctx, starter.caller, { runId: id, text: 'Go on.' }))
  }
}
