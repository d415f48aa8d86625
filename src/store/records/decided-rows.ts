import { sql, type Insertable, type RawBuilder } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { failUnless } from '../connection/fail-unless.ts'
import { isOneOf } from '../connection/is-one-of.ts'
import type { DecisionTable, PermitTable } from '../tables/decisions.ts'

/** A decision as it is inserted; its bounds are a value, not text. */
export type DecisionRow = Omit<Insertable<DecisionTable>, 'grant_bounds' | 'seal'> & {
  readonly grant_bounds: unknown
  readonly seal: string
}

/** A pending request that becomes approved, which its run counts no longer. */
export interface ApprovedRow {
  readonly id: string
  /** of the row as it will be after the update */
  readonly seal: string | null
}

/**
 * The rows of all decisions of a transaction, kept until its last statement, which writes them
 * together. Nothing reads them before.
 */
export interface DecidedRows {
  readonly decisions: DecisionRow[]
  readonly approved: ApprovedRow[]
  readonly permits: Insertable<PermitTable>[]
}

/** The parts of a `with` that write these rows, and an event for each run whose state changes. */
export function writeDecided({ decisions, approved, permits }: DecidedRows): RawBuilder<unknown> {
  const rows = approved.map((row) => ({ ...row, event: newId() }))
  return sql`
    decided as (
      insert into decision (id, request_id, revision, person_id, decision, digest, scope, denied_then,
        grant_bounds, reason_hash, self_approved, edited, batch_decision_id, channel, at,
        credential_id, seal)
      select * from jsonb_to_recordset(${JSON.stringify(decisions)}) as row(id uuid, request_id uuid,
        revision integer, person_id uuid, decision text, digest text, scope text, denied_then text,
        grant_bounds jsonb, reason_hash text, self_approved boolean, edited boolean,
        batch_decision_id uuid, channel text, at timestamptz, credential_id uuid, seal text)
    ), approved as (
      update request set state = 'approved', decided_at = clock_timestamp(), seal = row.seal
      from jsonb_to_recordset(${JSON.stringify(rows)}) as row(id uuid, seal text, event text)
      where ${isOneOf(
        'request.id',
        approved.map(({ id }) => id),
      )} and request.id = row.id
        -- Written so that no plan reads all pending requests from an index of these.
        and coalesce(request.state, '') = 'pending'
      returning request.run_id, row.event
    ), counted as (
      update run set
        pending_requests = run.pending_requests - ended.count,
        state = case when run.state = 'waiting_for_approval' and run.pending_requests <= ended.count
          then 'running' else run.state end
      from (select run_id, count(*)::int as count, min(event)::uuid as event
        from approved where run_id is not null group by run_id) as ended
      join run as old on old.id = ended.run_id
      where run.id = ended.run_id
      returning run.id, run.pending_requests as pending, run.state <> old.state as changed, ended.event
    ), changed as (
      insert into event (id, type, subject)
      select event, 'run.changed', jsonb_build_object('runId', id) from counted where changed
    ), permitted as (
      insert into permit (id, request_id, revision, attempt, run_id, call_id, statement, signature,
        key_id, epoch, issued_at, expires_at)
      select * from jsonb_to_recordset(${JSON.stringify(permits)}) as row(id uuid, request_id uuid,
        revision integer, attempt integer, run_id uuid, call_id uuid, statement text,
        signature text, key_id text, epoch integer, issued_at timestamptz, expires_at timestamptz)
    ), `
}

/**
 * Makes the statement fail where something was lost: each approved request was pending, and no run
 * counts below zero.
 */
export function requireDecided({ approved }: DecidedRows): RawBuilder<unknown> {
  return sql`
    ${failUnless(
      sql`(select count(*) from approved) = ${approved.length}::integer`,
      sql`'A request that was approved was not pending, or not locked'`,
    )},
    ${failUnless(
      sql`coalesce((select min(pending) from counted), 0) >= 0`,
      sql`'A run would have ', (select min(pending) from counted), ' pending requests'`,
    )}`
}
