import { sql } from 'kysely'
import type { CallApprovalView, TranscriptCall } from '#api/schemas/runs/transcript.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import type { Db } from '#store/database.ts'
import type { PersonRef } from '../../requests/facts/request-record.ts'
import type { RecordOf } from '../../core/record-of.ts'

/** Who approved a call, and with which scope. */
export type CallApprovalRecord = RecordOf<CallApprovalView>

/** Who denied a call, or a file that it would hand over, and when. */
export interface CallDenial {
  readonly by: PersonRef
  readonly at: string
}

/**
 * The times of a call: when it was requested, decided, started and finished; `null` for what has
 * not happened. `askedAt` is when the newest request of the call was opened, whatever its state.
 */
export type CallTimes = NonNullable<TranscriptCall['times']>

export interface CallFactsForPeople {
  readonly approval: CallApprovalRecord | null
  readonly denial: CallDenial | null
  readonly times: CallTimes
  /** the pending outcome check of a call whose end nobody knows; `null`: none */
  readonly outcomeCheck: string | null
}

interface FactRow {
  readonly id: string
  readonly asked_at: string | null
  readonly decided_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly outcome_check: string | null
  readonly approvals: readonly {
    readonly id: string
    readonly name: string
    readonly scope: Scope
  }[]
  readonly denial: CallDenial | null
  readonly request_id: string | null
  readonly number: number | null
  readonly granter: PersonRef | null
  readonly grant_scope: Scope | null
  readonly grant_request: string | null
  readonly grant_number: number | null
}

/**
 * For each call of a run: who approved it, with which scope, or who denied it; when, and its check.
 * One query.
 */
export async function readCallFacts(
  db: Db,
  runId: string,
): Promise<ReadonlyMap<string, CallFactsForPeople>> {
  const { rows } = await sql<{ readonly facts: readonly FactRow[] }>`
    select coalesce(json_agg(json_build_object(
      'id', c.id, 'asked_at', r.created_at, 'decided_at', r.decided_at,
      'started_at', (select max(e.started_at) from execution e where e.call_id = c.id),
      'finished_at', c.finished_at,
      'outcome_check', case when c.finished_at is null then (
        select q.id from request q
        where q.run_id = c.run_id and q.state = 'pending' and q.call_id = c.id
          and q.kind = 'outcome_check'
        limit 1
      ) end,
      'approvals', coalesce((
        select json_agg(json_build_object(
            'id', p.id, 'name', p.name, 'scope', coalesce(d.scope, 'once')) order by d.at)
        from decision d join person p on p.id = d.person_id
        where r.state = 'approved' and d.request_id = r.id and d.revision = r.revision
          and d.decision = 'approve'
      ), '[]'::json),
      'denial', (
        select json_build_object('by', json_build_object('id', p.id, 'name', p.name), 'at', d.at)
        from request q
        join decision d on d.request_id = q.id and d.revision = q.revision and d.decision = 'deny'
        join person p on p.id = d.person_id
        where q.call_id = c.id and q.state = 'denied' and q.kind <> 'outcome_check'
        order by d.at desc limit 1
      ),
      'request_id', r.id, 'number', r.number,
      'granter', case when g.id is null then null
        else json_build_object('id', gp.id, 'name', gp.name) end,
      'grant_scope', g.scope, 'grant_request', g.request_id, 'grant_number', gr.number
    )), '[]'::json) as facts
    from tool_call c
    left join request r on r.id = c.request_id
    left join approval_grant g on g.id = c.grant_id
    left join person gp on gp.id = g.granted_by
    left join request gr on gr.id = g.request_id
    where c.run_id = ${runId}
  `.execute(db)
  return new Map((rows[0]?.facts ?? []).map((row) => [row.id, factsOf(row)]))
}

function factsOf(row: FactRow): CallFactsForPeople {
  return {
    approval: approvalOf(row),
    denial: row.denial,
    times: {
      askedAt: row.asked_at,
      decidedAt: row.decided_at,
      startedAt: row.started_at,
      finishedAt: row.finished_at,
    },
    outcomeCheck: row.outcome_check,
  }
}

function approvalOf(row: FactRow): CallApprovalRecord | null {
  const { granter, grant_scope: scope, grant_request: grantRequest, grant_number: number } = row
  if (granter !== null && scope !== null && grantRequest !== null && number !== null) {
    return { by: [granter], scope, requestId: grantRequest, number, remembered: true }
  }
  const [first] = row.approvals
  if (first === undefined || row.request_id === null || row.number === null) return null
  return {
    by: row.approvals.map(({ id, name }) => ({ id, name })),
    scope: row.approvals.find((one) => one.scope !== 'once')?.scope ?? 'once',
    requestId: row.request_id,
    number: row.number,
    remembered: false,
  }
}
