import { sql, type RawBuilder } from 'kysely'
import { checkPeriod } from '../../core/problems/check-period.ts'
import { effectOfAttempt, isAttemptOfRequest } from '../facts/newest-execution.ts'

/** Filters of a list by what insights count: when it was opened, whose it is, what came of it. */
export interface OutcomeFilters {
  /** opened at this time or later */
  readonly from?: Date
  /** opened before this time */
  readonly to?: Date
  /** name of the worker, of a run or of a program; `''`: of programs that name none */
  readonly worker?: string
  /** id of a person who has voted on it */
  readonly decidedBy?: string
  /** a vote that `decidedBy`, or without it somebody, has given */
  readonly decision?: 'approve' | 'deny'
  /** people approved or denied it */
  readonly decided?: boolean
  /** it expired before anybody had reacted to it */
  readonly unseen?: boolean
  /** how its last execution ended, or a program's report of it */
  readonly effect?: 'succeeded' | 'failed'
  /** grants of its approvals, of `decidedBy` or anybody, were used */
  readonly grantsUsed?: boolean
  /** the program's own identifier, exactly */
  readonly externalId?: string
}

/** Whether `request` was approved or denied, and when is known. */
export const wasDecided = sql<boolean>`(
  request.state in ('approved', 'denied') and request.decided_at is not null)`

/** Whether `request` expired without a vote, claim, comment or handing over. */
export const expiredUnseen = sql<boolean>`(request.state = 'expired'
  and not exists (select 1 from audit_event
    where audit_event.request_id = request.id and audit_event.type in (
      'request.claimed', 'request.commented', 'request.handed_over', 'request.extended',
      'request.revised', 'decision.recorded', 'decision.refused')))`

/**
 * What the filters say of a row of `request`, counted as `readInsights` counts. Rejects with
 * `invalid_request` for a period that ends before it begins.
 */
export function outcomeConditions(filters: OutcomeFilters): RawBuilder<boolean>[] {
  const { from, to, worker, decidedBy, decision, effect, externalId, grantsUsed } = filters
  checkPeriod(filters)
  const conditions: RawBuilder<boolean>[] = []
  if (from !== undefined) conditions.push(sql<boolean>`request.created_at >= ${from}`)
  if (to !== undefined) conditions.push(sql<boolean>`request.created_at < ${to}`)
  if (externalId !== undefined) {
    conditions.push(sql<boolean>`request.id = any(array(
      select request_id from external_request program where program.external_id = ${externalId}))`)
  }
  if (worker !== undefined) {
    conditions.push(sql<boolean>`coalesce(
      (select run.worker from run where run.id = request.run_id),
      (select program.worker from external_request program where program.request_id = request.id),
      '') = ${worker}`)
  }
  if (decidedBy !== undefined || decision !== undefined) {
    const by = decidedBy === undefined ? sql`true` : sql`vote.person_id = ${decidedBy}`
    const how = decision === undefined ? sql`true` : sql`vote.decision = ${decision}`
    conditions.push(sql<boolean>`exists (
      select 1 from decision vote where vote.request_id = request.id and ${by} and ${how})`)
  }
  if (filters.decided === true) conditions.push(wasDecided)
  if (filters.unseen === true) conditions.push(expiredUnseen)
  if (effect !== undefined) {
    conditions.push(sql<boolean>`(
      (select ${effectOfAttempt} from execution
        where ${isAttemptOfRequest}
        order by execution.attempt desc limit 1) = ${effect}
      or exists (select 1 from external_request program
        where program.request_id = request.id and program.outcome = ${effect}))`)
  }
  if (grantsUsed === true) {
    const by = decidedBy === undefined ? sql`true` : sql`approval_grant.granted_by = ${decidedBy}`
    conditions.push(sql<boolean>`exists (
      select 1 from approval_grant
      where approval_grant.request_id = request.id and approval_grant.uses > 0 and ${by})`)
  }
  return conditions
}
