import { sql, type RawBuilder, type Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AuditEntry } from '../../domain/audit-event.ts'
import type { Judgement, Routing } from '../../domain/judgement.ts'
import type { RequestKind } from '../../domain/request.ts'
import type { Risk, Rule } from '../../domain/verdict.ts'
import { toJsonb, type Tx } from '../../store/database.ts'
import type { RunTable, ToolCallTable } from '../../store/tables/runs.ts'
import { together } from '../../store/connection/side-by-side.ts'
import type { Caller, StoredPresentation } from '../context.ts'
import { signatureMark } from '../decisions/signing/needs-signature.ts'
import { addPending } from '../runs/count-pending.ts'
import { storable } from '../runs/transcript/storable-text.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { noteFiles } from './note-files.ts'
import { behindRun } from './principals-of-run.ts'

/** What is asked, of whom, and what they will be shown. */
export interface RequestOpening {
  readonly kind: RequestKind
  readonly run: Selectable<RunTable>
  readonly call: Pick<Selectable<ToolCallTable>, 'id' | 'turn' | 'position'>
  readonly tool: string
  readonly digest: string
  readonly policyDigest: string
  readonly rule: Rule
  readonly risk: Risk
  readonly routing: Routing
  readonly presented: StoredPresentation
  /** content hash of what the model wrote in the same turn */
  readonly agentReasonHash: string | null
  /** the attempt that an approval will be for */
  readonly attempt: number
  /** earlier requests of the same call, the newest first */
  readonly previous: readonly string[]
  /** of an outcome check: the request whose call it asks about, if that was asked */
  readonly outcomeOf: string | null
}

/** What a judgement that asks says of the request to open. Throws when it asks nobody. */
export function openingOf(
  judgement: Judgement,
): Pick<RequestOpening, 'tool' | 'digest' | 'policyDigest' | 'rule' | 'risk' | 'routing'> {
  const { tool, digest, policyDigest, risk, routing, reason } = judgement
  if (routing === null) throw new TypeError(`The call of ${tool} asks nobody`)
  const rule = judgement.rule ?? { id: 'ask', text: reason, source: null }
  return { tool, digest, policyDigest, rule, risk, routing }
}

/** A request to open, and by whom. */
export interface AskedOpening {
  /** a new UUIDv7, by which others may refer to the request already */
  readonly requestId: string
  readonly caller: Caller
  readonly opening: Omit<RequestOpening, 'run'>
}

export interface OpenedRequest {
  readonly requestId: string
  readonly expiresAt: Date
}

/**
 * Opens a request in the caller's transaction: routing, quorum and the people behind it are frozen as they are now
 * (product.md 17, 18), and whoever stood behind the previous request of the call still does. The caller holds the
 * run's lock and has judged that the call asks.
 */
export async function openRequest(
  unit: UnitOfWork,
  caller: Caller,
  { run, ...opening }: RequestOpening,
): Promise<OpenedRequest> {
  const [opened] = await openRequests(unit, run, [{ requestId: uuidv7(), caller, opening }])
  if (opened === undefined) throw new Error('A request was not opened')
  return opened
}

/**
 * The same for several of one run, in as many queries as for one; answers in their order. They are sent before it first
 * waits: what refers to the requests can be sent `together` with them, behind them.
 */
export async function openRequests(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  asked: readonly AskedOpening[],
): Promise<OpenedRequest[]> {
  if (asked.length === 0) return []
  const { tx } = unit
  const sent = together([
    insertRequests(tx, run, asked),
    addPending(tx, run.id, asked.length),
    insertRevisions(tx, asked),
    freezePrincipals(tx, run, asked),
    ...asked.map(({ requestId, opening }) => noteFiles(tx, requestId, opening.presented)),
  ])
  await unit.audit(...asked.map((one) => openedEntry(run, one)))
  const [expiries, counted] = await sent
  for (const { requestId } of asked) {
    await unit.event('request.opened', { requestId, runId: run.id })
  }
  if (counted.changed) await unit.event('run.changed', { runId: run.id })
  return asked.map(({ requestId }) => ({
    requestId,
    expiresAt: expiries.get(requestId) ?? new Date(Number.NaN),
  }))
}

/** Inserts the rows, numbered in this order; answers when each expires. */
async function insertRequests(
  tx: Tx,
  run: Selectable<RunTable>,
  asked: readonly AskedOpening[],
): Promise<ReadonlyMap<string, Date>> {
  const given = asked.map(({ requestId, opening: { call, presented, routing, ...opening } }) => ({
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
    agent_reason_hash: opening.agentReasonHash,
    call_id: call.id,
    turn: call.turn,
    position: call.position,
    attempt: opening.attempt,
    previous: opening.previous,
    outcome_of: opening.outcomeOf,
    expires_after_ms: routing.expiresAfterMs,
    first_step_ms: routing.steps?.[0]?.afterMs ?? null,
  }))
  const { rows } = await sql<{ id: string; expires_at: Date }>`
    insert into request (id, kind, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      agent_reason_hash, run_id, root_run_id, call_id, turn, position, attempt, previous, outcome_of,
      expires_at, next_step_at, epoch)
    select id, kind, queue, team, risk, tool, title, digest, policy_digest, rule, routing,
      agent_reason_hash, ${run.id}::uuid, ${run.root_run_id}::uuid, call_id, turn, position, attempt, previous, outcome_of,
      clock_timestamp() + expires_after_ms * interval '1 millisecond',
      clock_timestamp() + first_step_ms * interval '1 millisecond',
      (select epoch from installation)
    from jsonb_to_recordset(${toJsonb(given)}) as given(id uuid, kind text, queue text, team text, risk text,
      tool text, title text, digest text, policy_digest text, rule jsonb, routing jsonb,
      agent_reason_hash text, call_id uuid, turn integer, position integer, attempt integer,
      previous uuid[], outcome_of uuid, expires_after_ms float8, first_step_ms float8)
    returning id, expires_at
  `.execute(tx)
  return new Map(rows.map((row) => [row.id, row.expires_at]))
}

/** `created_at` is the same clock a moment before, so the first step is due by then. */
export function firstStepAt({ steps }: Routing): RawBuilder<Date> | null {
  const first = steps?.[0]
  if (first === undefined) return null
  return sql<Date>`clock_timestamp() + ${first.afterMs} * interval '1 millisecond'`
}

async function insertRevisions(tx: Tx, asked: readonly AskedOpening[]): Promise<void> {
  const given = asked.map(({ requestId, opening: { presented, digest } }) => ({
    request_id: requestId,
    title: storable(presented.title),
    digest,
    input_hash: presented.inputHash,
    facts: presented.facts,
    presentation_hash: presented.presentationHash,
    presentation_digest: presented.presentationDigest,
    content_hash: presented.contentHash,
    content_type: presented.contentType,
  }))
  await sql`
    insert into request_revision (request_id, revision, title, digest, input_hash, facts,
      presentation_hash, presentation_digest, content_hash, content_type)
    select request_id, 1, title, digest, input_hash, facts,
      presentation_hash, presentation_digest, content_hash, content_type
    from jsonb_to_recordset(${toJsonb(given)}) as given(request_id uuid, title text, digest text,
      input_hash text, facts jsonb, presentation_hash text, presentation_digest text, content_hash text,
      content_type text)
  `.execute(tx)
}

function openedEntry(
  run: Selectable<RunTable>,
  { caller, requestId, opening }: AskedOpening,
): AuditEntry {
  const { presented, routing } = opening
  return {
    type: 'request.opened',
    actor: caller.actor,
    channel: caller.channel,
    runId: run.id,
    requestId,
    callId: opening.call.id,
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

/**
 * Who stands behind the run now, whoever made the call (calls that people made have turns below zero, product.md 5), and
 * who stood behind the request in whose place this one comes.
 */
async function freezePrincipals(
  tx: Tx,
  run: Selectable<RunTable>,
  asked: readonly AskedOpening[],
): Promise<void> {
  const given = asked.map(({ requestId, opening: { call, previous } }) => ({
    id: requestId,
    made: call.turn < 0 ? call.id : null,
    before: previous[0] ?? null,
  }))
  await sql`
    with behind as (${behindRun(run.id)}), given as (
      select * from jsonb_to_recordset(${toJsonb(given)}) as given(id uuid, made uuid, before uuid)
    )
    insert into request_principal (request_id, person_id, why)
    select given.id, behind."personId", behind.why from given, behind
    union select given.id, invoked_by, 'invoked' from given join manual_call on call_id = made
    union select given.id, person_id, why from given join request_principal on request_id = before
    on conflict do nothing
  `.execute(tx)
}
