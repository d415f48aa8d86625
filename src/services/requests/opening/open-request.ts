import { sql, type RawBuilder, type Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { AuditEntry } from '#domain/audit-event.ts'
import type { Judgement, Routing } from '#domain/deciding/judgement.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import { principalsDigest } from '#domain/statements/row-seals.ts'
import type { Risk, Rule } from '#domain/policy/verdict.ts'
import { toJsonb } from '#store/database.ts'
import type { RunTable, ToolCallTable } from '#store/tables/runs.ts'
import type { Caller } from '../../core/context.ts'
import type { StoredPresentation } from '../../core/host-queries.ts'
import { signatureMark } from '../facts/needs-signature.ts'
import { pendingToAdd } from '../facts/count-pending.ts'
import { storable } from '#domain/text/encoding/storable-text.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { areTrusted, principalsOf, readPrincipals, type ReadPrincipals } from './read-principals.ts'
import { revisionRow } from './insert-revision.ts'
import { filesOf, filesToRecord } from './record-files.ts'

/** The subject, the approvers and the presentation of a new request. */
export interface RequestOpening {
  readonly kind: RequestKind
  readonly run: Selectable<RunTable>
  /** `null`: it is about the run as a whole */
  readonly call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'> | null
  readonly tool: string
  readonly digest: string
  readonly policyDigest: string
  readonly rule: Rule
  readonly risk: Risk
  readonly routing: Routing
  readonly presented: StoredPresentation
  /** content hash of what the model wrote in the same turn */
  readonly agentReasonHash: string | null
  /** the number of the attempt that an approval permits */
  readonly attempt: number
  /** earlier requests of the same call, the newest first */
  readonly previous: readonly string[]
  /** for an outcome check: the request of its call, if there was one */
  readonly outcomeOf: string | null
}

/** The request that a judgement opens. Throws when the judgement does not ask. */
export function openingOf(
  judgement: Judgement,
): Pick<RequestOpening, 'tool' | 'digest' | 'policyDigest' | 'rule' | 'risk' | 'routing'> {
  const { tool, digest, policyDigest, risk, routing, reason } = judgement
  if (routing === null) throw new TypeError(`The call of ${tool} asks nobody`)
  const rule = judgement.rule ?? { id: 'ask', text: reason, source: null }
  return { tool, digest, policyDigest, rule, risk, routing }
}

/** A request to open, and its caller. */
export interface RequestToOpen {
  /** a new UUIDv7, which others may already refer to */
  readonly requestId: string
  readonly caller: Caller
  readonly opening: Omit<RequestOpening, 'run'>
}

/**
 * Opens a request in the caller's transaction: routing, quorum and the people behind it are frozen
 * as they are now (product.md 17, 18), including those behind the previous request of the call. The
 * caller holds the run's lock and has judged that the call asks. Returns the id of the request.
 */
export async function openRequest(
  unit: UnitOfWork,
  caller: Caller,
  { run, ...opening }: RequestOpening,
): Promise<string> {
  const requestId = newId()
  const openings = [{ requestId, caller, opening }]
  const behind = await readPrincipals(unit.tx, run.id, openings)
  const insert = await openRequests(unit, run, openings, { behind, beside: [] })
  await insert.execute(unit.tx)
  return requestId
}

/**
 * The same for at least one request of a run, up to the statement that inserts them all, sealed
 * (security.md 29): the caller sends it. `beside`: parts of its `with`, which write what belongs to
 * the requests.
 */
export async function openRequests(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  openings: readonly RequestToOpen[],
  { behind, beside }: { readonly behind: ReadPrincipals; readonly beside: RawBuilder<unknown>[] },
): Promise<RawBuilder<unknown>> {
  await unit.audit(...openings.map((one) => openedEntry(run, one)))
  for (const { requestId } of openings) {
    // The id is new: no event has it.
    unit.setChainEnd(requestId, null, new Date(behind.at))
    await unit.event('request.opened', { requestId, runId: run.id })
  }
  const current = behind.lineage.find(({ id }) => id === run.id) ?? run
  if (current.state === 'running') await unit.event('run.changed', { runId: run.id })
  const people = openings.flatMap(({ requestId }) =>
    principalsOf(requestId, behind).map((one) => ({ requestId, ...one })),
  )
  const files = openings.flatMap((one) => filesOf(one.requestId, one.opening.presented))
  return sql`
    with ${sql.join([
      sql`inserted as (${requestsToInsert(unit, run, openings, behind)})`,
      sql`counted as (${pendingToAdd(run.id, openings.length, sql<boolean>`true`)})`,
      sql`revisions as (${revisionsToInsert(unit, openings)})`,
      ...(files.length === 0 ? [] : [sql`files as (${filesToRecord(files)})`]),
      ...beside,
    ])}
    insert into request_principal (request_id, person_id, why)
    select "requestId", "personId", why
    from jsonb_to_recordset(${toJsonb(people)}) as given("requestId" uuid, "personId" uuid, why text)
  `
}

/** The query that inserts the rows, numbered in this order. */
function requestsToInsert(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  openings: readonly RequestToOpen[],
  behind: ReadPrincipals,
): RawBuilder<unknown> {
  const isTrusted = areTrusted(unit, run, behind)
  const { at, epoch } = behind
  // Requests of one turn have one instant, by which lists keep them together, in call order.
  const createdAt = behind.askedAt ?? at
  const values = openings.map(({ requestId, opening }) => {
    const { call, presented, routing } = opening
    const row = {
      id: requestId,
      kind: opening.kind,
      queue: routing.queue,
      team: routing.team,
      risk: opening.risk,
      tool: opening.tool,
      title: storable(presented.title),
      digest: opening.digest,
      policy_digest: opening.policyDigest,
      rule: opening.rule,
      routing,
      call_id: call?.id ?? null,
      turn: call?.turn ?? null,
      position: call?.position ?? null,
      attempt: opening.attempt,
      previous: opening.previous,
      outcome_of: opening.outcomeOf,
      principals_digest: principalsDigest(principalsOf(requestId, behind)),
    }
    const sealed = {
      ...row,
      state: 'pending',
      revision: 1,
      run_id: run.id,
      root_run_id: run.root_run_id,
      created_at: new Date(createdAt),
      expires_at: new Date(Date.parse(at) + routing.expiresAfterMs),
      epoch,
    }
    return {
      ...row,
      agent_reason_hash: opening.agentReasonHash,
      expires_after_ms: routing.expiresAfterMs,
      first_step_ms: routing.steps?.[0]?.afterMs ?? null,
      seal: isTrusted ? unit.seals.of('request', sealed) : null,
    }
  })
  return sql`
    insert into request (id, kind, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      agent_reason_hash, run_id, root_run_id, call_id, turn, position, attempt, previous, outcome_of,
      created_at, expires_at, next_step_at, epoch, owner_id, co_owner_id, principals_digest, seal)
    select id, kind, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      agent_reason_hash, ${run.id}::uuid, ${run.root_run_id}::uuid, call_id, turn, position, attempt, previous, outcome_of,
      ${createdAt}::timestamptz,
      opened.at + expires_after_ms * interval '1 millisecond',
      opened.at + first_step_ms * interval '1 millisecond',
      ${epoch}::integer, ${run.started_by}::uuid, ${run.co_owner_id}::uuid, principals_digest, seal
    from (select ${at}::timestamptz as at) as opened, jsonb_to_recordset(${toJsonb(values)}) as given(id uuid, kind text,
      queue text, team text, risk text, tool text, title text, digest text, policy_digest text, rule jsonb,
      routing jsonb, agent_reason_hash text, call_id uuid, turn integer, position integer, attempt integer,
      previous uuid[], outcome_of uuid, expires_after_ms float8, first_step_ms float8,
      principals_digest text, seal text)
  `
}

/** `created_at` is the same clock slightly earlier, so the first step is due by then. */
export function firstStepAt({ steps }: Routing): RawBuilder<Date> | null {
  const first = steps?.[0]
  if (first === undefined) return null
  return sql<Date>`clock_timestamp() + ${first.afterMs} * interval '1 millisecond'`
}

function revisionsToInsert(
  { seals }: UnitOfWork,
  openings: readonly RequestToOpen[],
): RawBuilder<unknown> {
  const rows = openings.map(({ requestId, opening: { presented, digest } }) =>
    revisionRow({ requestId, revision: 1, digest }, presented),
  )
  const values = rows.map((row) => ({ ...row, seal: seals.of('request_revision', row) }))
  return sql`
    insert into request_revision (request_id, revision, title, digest, input_hash, facts,
      presentation_hash, presentation_digest, content_hash, content_type, effect, cues, seal)
    select request_id, revision, title, digest, input_hash, facts,
      presentation_hash, presentation_digest, content_hash, content_type, effect, cues, seal
    from jsonb_to_recordset(${toJsonb(values)}) as given(request_id uuid, revision integer, title text,
      digest text, input_hash text, facts jsonb, presentation_hash text, presentation_digest text,
      content_hash text, content_type text, effect text, cues jsonb, seal text)
  `
}

function openedEntry(
  run: Selectable<RunTable>,
  { caller, requestId, opening }: RequestToOpen,
): AuditEntry {
  const { presented, routing } = opening
  return {
    type: 'request.opened',
    actor: caller.actor,
    channel: caller.channel,
    runId: run.id,
    requestId,
    ...(opening.call === null ? {} : { callId: opening.call.id }),
    digest: opening.digest,
    policyDigest: opening.policyDigest,
    detail: {
      kind: opening.kind,
      tool: opening.tool,
      rule: opening.rule.id,
      risk: opening.risk,
      queue: routing.queue,
      quorum: routing.quorumText,
      factsDigest: presented.factsDigest,
      presentationDigest: presented.presentationDigest,
      previous: opening.previous[0] ?? null,
      ...signatureMark(opening),
    },
  }
}
