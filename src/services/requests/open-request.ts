import { sql, type RawBuilder, type Selectable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AuditEntry } from '../../domain/audit-event.ts'
import type { Judgement, Routing } from '../../domain/judgement.ts'
import type { RequestKind } from '../../domain/request.ts'
import type { Risk, Rule } from '../../domain/verdict.ts'
import { toJsonb } from '../../store/database.ts'
import type { RunTable, ToolCallTable } from '../../store/tables/runs.ts'
import { together } from '../../store/connection/side-by-side.ts'
import type { Caller, StoredPresentation } from '../context.ts'
import { signatureMark } from '../decisions/signing/needs-signature.ts'
import { addPending } from '../runs/count-pending.ts'
import { storable } from '../runs/transcript/storable-text.ts'
import type { UnitOfWork } from '../unit-of-work.ts'
import { noteFiles } from './note-files.ts'
import { principalsOfRun, type Principal } from './principals-of-run.ts'

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
  const [opened] = await openRequests(unit, run, [{ caller, opening }])
  if (opened === undefined) throw new Error('A request was not opened')
  return opened
}

/** The same for several of one run, in as many queries as for one; answers in their order. */
export async function openRequests(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  asked: readonly AskedOpening[],
): Promise<OpenedRequest[]> {
  if (asked.length === 0) return []
  const { tx } = unit
  const rows = asked.map(({ opening }) => requestRow(run, opening))
  const requests = asked.map((one, place) => ({ ...one, requestId: rows[place]?.id ?? '' }))
  const revisions = requests.map(({ requestId, opening }) => revisionRow(requestId, opening))
  const [inserted, counted] = await together([
    tx.insertInto('request').values(rows).returning(['id', 'expires_at']).execute(),
    addPending(tx, run.id, requests.length),
    tx.insertInto('request_revision').values(revisions).execute(),
    ...requests.map(({ requestId, opening }) => noteFiles(tx, requestId, opening.presented)),
    freezePrincipals(unit, run, requests),
  ])
  for (const { caller, opening, requestId } of requests) {
    await unit.audit(openedEntry(caller, run, requestId, opening))
    await unit.event('request.opened', { requestId, runId: run.id })
  }
  if (counted.changed) await unit.event('run.changed', { runId: run.id })
  const expiries = new Map(inserted.map((row) => [row.id, row.expires_at]))
  return requests.map(({ requestId }) => ({
    requestId,
    expiresAt: expiries.get(requestId) ?? new Date(Number.NaN),
  }))
}

type Opening = AskedOpening['opening']

function requestRow(run: Selectable<RunTable>, opening: Opening) {
  const { call, presented, routing } = opening
  return {
    id: uuidv7(),
    kind: opening.kind,
    queue: routing.queue,
    team: routing.team,
    risk: opening.risk,
    tool: opening.tool,
    title: storable(presented.title),
    digest: opening.digest,
    policy_digest: opening.policyDigest,
    rule: toJsonb(opening.rule),
    routing: toJsonb(routing),
    agent_reason_hash: opening.agentReasonHash,
    run_id: run.id,
    root_run_id: run.root_run_id,
    call_id: call.id,
    turn: call.turn,
    position: call.position,
    attempt: opening.attempt,
    previous: [...opening.previous],
    outcome_of: opening.outcomeOf,
    expires_at: sql<Date>`clock_timestamp() + ${routing.expiresAfterMs} * interval '1 millisecond'`,
    next_step_at: firstStepAt(routing),
    epoch: sql<number>`(select epoch from installation)`,
  }
}

/** `created_at` is the same clock a moment before, so the first step is due by then. */
export function firstStepAt({ steps }: Routing): RawBuilder<Date> | null {
  const first = steps?.[0]
  if (first === undefined) return null
  return sql<Date>`clock_timestamp() + ${first.afterMs} * interval '1 millisecond'`
}

function revisionRow(requestId: string, { presented, digest }: Opening) {
  return {
    request_id: requestId,
    revision: 1,
    title: storable(presented.title),
    digest,
    input_hash: presented.inputHash,
    facts: toJsonb(presented.facts),
    presentation_hash: presented.presentationHash,
    presentation_digest: presented.presentationDigest,
    content_hash: presented.contentHash,
    content_type: presented.contentType,
  }
}

function openedEntry(
  caller: Caller,
  run: Selectable<RunTable>,
  requestId: string,
  opening: Opening,
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

async function freezePrincipals(
  unit: UnitOfWork,
  run: Selectable<RunTable>,
  requests: readonly { readonly requestId: string; readonly opening: Opening }[],
): Promise<void> {
  const behind = await principalsOfRun(unit.tx, run.id)
  const rows = []
  for (const { requestId, opening } of requests) {
    const own = [...(await invokersOf(unit, opening)), ...(await inheritedBy(unit, opening))]
    for (const { personId, why } of [...behind, ...own]) {
      rows.push({ request_id: requestId, person_id: personId, why })
    }
  }
  if (rows.length === 0) return
  await unit.tx
    .insertInto('request_principal')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Who stood behind the request in whose place this one comes. */
async function inheritedBy(
  unit: UnitOfWork,
  { previous }: Opening,
): Promise<{ personId: string; why: string }[]> {
  const [before] = previous
  if (before === undefined) return []
  return unit.tx
    .selectFrom('request_principal')
    .select(['person_id as personId', 'why'])
    .where('request_id', '=', before)
    .execute()
}

/** Calls that people made have turns below zero; whoever made one is behind every request about it (product.md 5). */
async function invokersOf(unit: UnitOfWork, { call }: Opening): Promise<Principal[]> {
  if (call.turn >= 0) return []
  return unit.tx
    .selectFrom('manual_call')
    .select(['invoked_by as personId', sql<'invoked'>`'invoked'`.as('why')])
    .where('call_id', '=', call.id)
    .execute()
}
