import { sql, type RawBuilder, type Selectable } from 'kysely'
import { principalsDigest } from '#domain/statements/row-seals.ts'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { behindRun } from '../people/principals-of-run.ts'
import { isLinked } from '../../core/run-terms.ts'
import { verifyRun } from '../../core/verify-run.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'

/** The parts of a new request that determine who is behind it. */
interface OpenedCall {
  readonly requestId: string
  readonly opening: {
    readonly kind: RequestKind
    readonly call: { readonly id: string; readonly turn: number } | null
    readonly previous: readonly string[]
    readonly routing: Pick<Routing, 'edits'>
  }
}

interface StoredPrincipal {
  readonly personId: string
  readonly why: string
}

/** The people behind new requests of a run, and the rows that determine them. */
export interface ReadPrincipals {
  /** the instant of the reading, as ISO text with microseconds */
  readonly at: string
  /** of an attachment: when the request about its call was opened, as `at`; else `null` */
  readonly askedAt: string | null
  readonly epoch: number
  /** behind every request that the run opens now */
  readonly ofRun: readonly StoredPrincipal[]
  /** behind one of the requests besides */
  readonly ofRequests: readonly (StoredPrincipal & { readonly requestId: string })[]
  /** from the root run down */
  readonly lineage: readonly Selectable<RunTable>[]
  /** requests that others replace, with the people behind them */
  readonly before: readonly {
    readonly request: JsonRow
    readonly principals: readonly StoredPrincipal[]
  }[]
}

/**
 * Reads who is behind new requests of a run, whose lock the transaction has taken by then: the
 * people behind the run now, the person who made the call (calls of people have turns below zero,
 * product.md 5), and the people behind the request that the new one replaces. People who edited the
 * call in a replaced request are among them, unless the queue lets editors decide. The calls of a
 * turn, which replace nothing, need not be given.
 */
export async function readPrincipals(
  tx: Tx,
  runId: string,
  openings: readonly OpenedCall[],
): Promise<ReadPrincipals> {
  const withMore = openings
    .map(({ requestId, opening: { call, previous, routing } }) => ({
      id: requestId,
      manual: call !== null && call.turn < 0 ? call.id : null,
      before: previous[0] ?? null,
      previous: routing.edits === 'approve' ? [] : previous,
    }))
    .filter(({ manual, before }) => manual !== null || before !== null)
  const { rows } = await sql<Omit<ReadPrincipals, 'lineage'> & { lineage: JsonRow[] }>`
    select to_jsonb(clock_timestamp()) as at, (select epoch from installation) as epoch,
      (select to_jsonb(max(created_at)) from request
        where call_id = ${attachedTo(openings)} and kind = 'tool_call') as "askedAt",
      (select coalesce(jsonb_agg(behind), '[]') from (${behindRun(runId)}) as behind) as "ofRun",
      (select coalesce(jsonb_agg(to_jsonb(above) order by depth), '[]')
        from run_lineage
        cross join lateral (select * from run where id = ancestor_id offset 0) as above
        where run_lineage.run_id = ${runId}) as lineage,
      ${withMore.length === 0 ? sql`'[]'::jsonb as "ofRequests", '[]'::jsonb as before` : ofRequests(runId, withMore)}
  `.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error(`The people behind run ${runId} could not be read`)
  return {
    ...row,
    lineage: row.lineage.map((one) => fromJsonRow(one)),
    before: row.before.map(({ request, principals }) => ({
      request: fromJsonRow(request),
      principals,
    })),
  }
}

/** The call of an attachment, which is opened alone. */
function attachedTo(openings: readonly OpenedCall[]): string | null {
  return openings.find(({ opening }) => opening.kind === 'attachment')?.opening.call?.id ?? null
}

/** The two columns about requests whose call a person made, or that replace others. */
function ofRequests(
  runId: string,
  requests: readonly { readonly manual: string | null }[],
): RawBuilder<unknown> {
  const rows = sql`jsonb_to_recordset(${toJsonb(requests)}) as given(id uuid, manual uuid, before uuid, previous uuid[])`
  return sql`
    (select coalesce(jsonb_agg(jsonb_build_object('requestId', id, 'personId', person_id, 'why', why)), '[]')
      from (
        select given.id, invoked_by as person_id, 'invoked' as why from ${rows}
          cross join lateral (select invoked_by from manual_call where call_id = manual offset 0) as by_hand
        ${requests.some(({ manual }) => manual !== null) ? invokersInTrail(runId, rows) : sql``}
        union select given.id, person_id, why from ${rows}
          cross join lateral (select * from request_principal where request_id = before offset 0) as earlier
        union select given.id, editor_id, 'edited' from ${rows}
          join request_revision on request_id = any(given.previous) where editor_id is not null
      ) as behind) as "ofRequests",
    (select coalesce(jsonb_agg(jsonb_build_object('request', to_jsonb(request), 'principals', (
        select coalesce(jsonb_agg(jsonb_build_object('personId', person_id, 'why', why)), '[]')
        from request_principal where request_id = request.id))), '[]')
      from (select distinct before from ${rows}) as earlier
      cross join lateral (select * from request where id = before offset 0) as request) as before`
}

/** Who made the calls of people, by the trail, whose events cannot be removed as rows can. */
function invokersInTrail(runId: string, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    union select given.id, person.id, 'invoked' from ${rows}
      join audit_event on audit_event.call_id = manual and audit_event.run_id = ${runId}
        and audit_event.type = 'call.judged' and audit_event.actor_type = 'person'
      join person on person.id::text = audit_event.actor_id`
}

/** The people behind one of the requests, each once for each reason. */
export function principalsOf(
  requestId: string,
  { ofRun, ofRequests }: ReadPrincipals,
): readonly StoredPrincipal[] {
  const all = [...ofRun, ...ofRequests.filter((one) => one.requestId === requestId)]
  const byReason = new Map(
    all.map(({ personId, why }) => [`${personId} ${why}`, { personId, why }]),
  )
  return [...byReason.values()]
}

/**
 * Whether the rows that determined these people can be trusted (security.md 29). They cannot if the
 * run is not signed, its lineage is incomplete, or an earlier request lacks its people. A request
 * that is opened then gets no seal: it waits, and nobody can decide it.
 */
export function areTrusted(
  { seals, verifier }: UnitOfWork,
  run: Selectable<RunTable>,
  { lineage, before }: ReadPrincipals,
): boolean {
  return (
    lineage.at(-1)?.id === run.id &&
    isLinked(lineage) &&
    lineage.every((above) => verifyRun(verifier, above) !== null) &&
    before.every(
      ({ request, principals }) =>
        seals.holds('request', request) &&
        principalsDigest(principals) === request['principals_digest'],
    )
  )
}
