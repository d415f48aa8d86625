import { sql, type RawBuilder, type Selectable } from 'kysely'
import { type SealableRow, principalsDigest } from '#domain/statements/row-seals.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { CountedRun } from '../facts/count-pending.ts'
import { behindRun } from '../people/principals-of-run.ts'
import { isLinked } from '../../core/run-terms.ts'
import { verifyRun } from '../../core/verify-run.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** The columns of a request that its seal covers, as inserted. */
export interface InsertedRequest extends SealableRow {
  readonly id: string
  readonly expires_at: Date
}

/** The parts of a new request that determine who is behind it. */
export interface OpenedCall {
  readonly requestId: string
  readonly opening: {
    readonly call: { readonly id: string; readonly turn: number } | null
    readonly previous: readonly string[]
    readonly routing: Pick<Routing, 'edits'>
  }
}

/** The people who were frozen into requests, and the rows that determined them. */
export interface FrozenPrincipals {
  /** when they were */
  readonly at: Date
  /** the run with the requests; `null`: there is no such run */
  readonly counted: CountedRun | null
  readonly inserted: readonly InsertedRequest[]
  readonly principals: readonly {
    readonly requestId: string
    readonly personId: string
    readonly why: string
  }[]
  /** from the root run down */
  readonly lineage: readonly Selectable<RunTable>[]
  /** requests that others replace, with the people behind them */
  readonly before: readonly {
    readonly request: JsonRow
    readonly principals: readonly { readonly personId: string; readonly why: string }[]
  }[]
}

/** What the query of {@link freezePrincipals} writes besides. */
export interface RequestsToInsert {
  readonly requests: RawBuilder<InsertedRequest>
  readonly counting: RawBuilder<CountedRun>
  /** parts of a `with` that write what belongs to the requests */
  readonly beside: readonly RawBuilder<unknown>[]
}

/**
 * Inserts requests and the people behind each of them in one query. These people are the people
 * behind the run now, the person who made the call (calls of people have turns below zero,
 * product.md 5), and the people behind the request that this one replaces. People who edited the
 * call in a replaced request are among them, unless the queue lets editors decide.
 */
export async function freezePrincipals(
  tx: Tx,
  run: Selectable<RunTable>,
  openings: readonly OpenedCall[],
  inserting: RequestsToInsert,
): Promise<FrozenPrincipals> {
  const requests = openings.map(({ requestId, opening: { call, previous, routing } }) => ({
    id: requestId,
    made: call !== null && call.turn < 0 ? call.id : null,
    before: previous[0] ?? null,
    previous: routing.edits === 'approve' ? [] : previous,
  }))
  const { rows } = await sql<
    Omit<FrozenPrincipals, 'inserted' | 'lineage'> & { inserted: JsonRow[]; lineage: JsonRow[] }
  >`
    with inserted as (${inserting.requests}), counted as (${inserting.counting}),
    ${sql.join(inserting.beside)}, behind as (${behindRun(run.id)}), given as (
      select * from jsonb_to_recordset(${toJsonb(requests)}) as given(id uuid, made uuid, before uuid, previous uuid[])
    ), frozen as (
      insert into request_principal (request_id, person_id, why)
      select given.id, behind."personId", behind.why from given, behind
      union select given.id, invoked_by, 'invoked' from given
        cross join lateral (select invoked_by from manual_call where call_id = made offset 0) as by_hand
      ${requests.some((request) => request.made !== null) ? invokersInTrail(run.id) : sql``}
      union select given.id, person_id, why from given
        cross join lateral (select * from request_principal where request_id = before offset 0) as earlier
      union select given.id, editor_id, 'edited' from given
        join request_revision on request_id = any(given.previous) where editor_id is not null
      on conflict do nothing
      returning request_id as "requestId", person_id as "personId", why
    )
    select clock_timestamp() as at, (select to_jsonb(counted) from counted) as counted,
      (select jsonb_agg(to_jsonb(inserted)) from inserted) as inserted,
      (select coalesce(jsonb_agg(to_jsonb(frozen)), '[]') from frozen) as principals,
      (select coalesce(jsonb_agg(to_jsonb(above) order by depth), '[]')
        from run_lineage
        cross join lateral (select * from run where id = ancestor_id offset 0) as above
        where run_lineage.run_id = ${run.id}) as lineage,
      (select coalesce(jsonb_agg(jsonb_build_object('request', to_jsonb(request), 'principals', (
          select coalesce(jsonb_agg(jsonb_build_object('personId', person_id, 'why', why)), '[]')
          from request_principal where request_id = request.id))), '[]')
        from (select distinct before from given) as earlier
        cross join lateral (select * from request where id = before offset 0) as request) as before
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('The principals of the request were not stored')
  return {
    at: row.at,
    counted: row.counted,
    inserted: row.inserted.map((one) => fromJsonRow(one)),
    principals: row.principals,
    lineage: row.lineage.map((one) => fromJsonRow(one)),
    before: row.before.map(({ request, principals }) => ({
      request: fromJsonRow(request),
      principals,
    })),
  }
}

/** Who made the calls of people, by the trail, whose events cannot be removed as rows can. */
function invokersInTrail(runId: string): RawBuilder<unknown> {
  return sql`
    union select given.id, person.id, 'invoked' from given
      join audit_event on audit_event.call_id = made and audit_event.run_id = ${runId}
        and audit_event.type = 'call.judged' and audit_event.actor_type = 'person'
      join person on person.id::text = audit_event.actor_id`
}

/**
 * Seals requests that were just inserted, with a hash of the people behind each (security.md 29),
 * by a last statement of the unit: nothing in it reads the seals. A request whose people were found
 * in untrusted rows (an unsigned run, an incomplete lineage, an earlier request without its people)
 * gets no seal: it waits, and nobody can decide it.
 */
export function sealRequests(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  { inserted, principals, lineage, before }: FrozenPrincipals,
): void {
  const { seals, verifier } = unit
  const isSigned =
    lineage.at(-1)?.id === run.id &&
    isLinked(lineage) &&
    lineage.every((above) => verifyRun(verifier, above) !== null)
  const isTrue =
    isSigned &&
    before.every(
      ({ request, principals: behind }) =>
        seals.holds('request', request) &&
        principalsDigest(behind) === request['principals_digest'],
    )
  const sealed = inserted.map((row) => {
    const behind = principals.filter(({ requestId }) => requestId === row.id)
    const sealable = { ...row, principals_digest: principalsDigest(behind) }
    const seal = isTrue ? seals.of('request', sealable) : null
    return { id: row.id, principals_digest: sealable.principals_digest, seal }
  })
  unit.sendLast(sql`
      update request set principals_digest = sealed.principals_digest, seal = sealed.seal
      from jsonb_to_recordset(${toJsonb(sealed)}) as sealed(id uuid, principals_digest text, seal text)
      where request.id = sealed.id and ${isOneOf(
        'request.id',
        sealed.map(({ id }) => id),
      )}
  `)
}
