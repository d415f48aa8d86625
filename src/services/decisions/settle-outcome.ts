import { sql, type Selectable } from 'kysely'
import type { Json } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import { quorumTeams } from '../../domain/deciding/quorum.ts'
import type { RequestState } from '../../domain/request.ts'
import { executionTransitions, transition } from '../../domain/transitions.ts'
import type { Tx } from '../../store/database.ts'
import type { ExecutionTable } from '../../store/tables/executions.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller, SigningContext } from '../context.ts'
import { findRequestFor, type FoundRequest } from '../requests/find-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { auditingRefusals } from './audit-refusal.ts'
import type { DecisionFacts } from './decision-facts.ts'
import { factsWhileOpen } from './facts-while-open.ts'
import { invalid } from './decision-input.ts'
import { aboutRequest, endRequest } from './ending/end-request.ts'
import { judgePerson } from './judge-decision.ts'
import { permitRequest } from './permits/permit-request.ts'
import { recordDecision } from './record-decision.ts'
import { lockWithSiblings, stopSiblings } from './ending/stop-siblings.ts'

/** What a person found out about a call whose end is unknown, and what happens now. */
export interface SettleOutcomeInput {
  /** id or number of the outcome check */
  readonly request: string
  /** `true`: it took effect; `false`: it did not; `null`: nobody can tell */
  readonly ran: Json
  /** `again` (only with `ran: false`): carry it out once more */
  readonly then: Json
  readonly reason: string
}

export interface SettledAnswer {
  readonly requestId: string
  readonly decisionId: string
  readonly state: RequestState
}

interface Finding {
  readonly ran: boolean | null
  readonly then: 'continue' | 'again' | 'stop'
  readonly reason: string
}

/**
 * Settles an outcome check (architecture.md, execution): by one person who may decide it. The unknown attempt becomes
 * `succeeded` or `failed`, or stays `unknown` when nobody can tell, with who settled it; `again` issues a permit for the
 * next attempt, named for the check; `stop` stops the turn as a denial does. Rejects as a decision does.
 */
export async function settleOutcome(
  ctx: SigningContext,
  caller: Caller,
  input: SettleOutcomeInput,
): Promise<SettledAnswer> {
  const finding = parseFinding(input)
  const found = await findRequestFor(ctx, caller, input.request)
  return auditingRefusals(ctx, caller, found.id, { attempt: 'settle' }, () =>
    inUnitOfWork(ctx, (unit) => settleLocked(ctx, unit, caller, found, finding)),
  )
}

async function settleLocked(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  found: FoundRequest,
  finding: Finding,
): Promise<SettledAnswer | Problem> {
  const stop = finding.then === 'stop'
  const { request, later } = await lockWithSiblings(unit.tx, found, stop ? 'turn' : 'request')
  if (request.kind !== 'outcome_check') {
    throw invalid('request', 'is not an outcome check; decide it')
  }
  const facts = await factsWhileOpen(unit, caller, request)
  if (facts instanceof Problem) return facts
  const marks = judgePerson(request, facts)
  const execution = await unknownAttempt(unit.tx, request)
  const { digest } = facts.revision
  const said = { reason: finding.reason, seen: null, assertion: null }
  const named = { digest, revision: request.revision, ...said }
  const decisionId = await recordDecision(
    unit,
    caller,
    request,
    stop
      ? { decision: 'deny', then: 'stop', ...named }
      : { decision: 'approve', scope: 'once', bounds: null, ...named },
    { ...marks, batchDecisionId: null, facts, signed: null },
  )
  await settleExecution(unit, caller, request, execution, finding, marks.person.id)
  const wake = [request.id]
  if (stop) {
    await endRequest(unit, request, { event: 'deny', then: 'stop' })
    wake.push(...(await stopSiblings(unit, caller, request, later)))
  } else {
    await endRequest(unit, request, { event: 'approve' })
  }
  if (finding.then === 'again') {
    await permitAgain(ctx, unit, caller, request, facts, execution.attempt + 1)
  }
  if (request.run_id !== null) {
    const payload = { requestIds: wake }
    await unit.enqueue({ kind: 'signal_decided', runId: request.run_id, payload })
  }
  return { requestId: request.id, decisionId, state: stop ? 'denied' : 'approved' }
}

function parseFinding(input: SettleOutcomeInput): Finding {
  const { ran, then, reason } = input
  if (ran !== true && ran !== false && ran !== null) {
    throw invalid('ran', 'must be true, false or null')
  }
  if (then !== 'continue' && then !== 'again' && then !== 'stop') {
    throw invalid('then', 'must be "continue", "again" or "stop"')
  }
  if (then === 'again' && ran !== false) throw invalid('then', '"again" needs ran: false')
  if (reason.trim() === '' || reason.length > limits.reasonCharacters) {
    throw invalid('reason', `must have 1 to ${limits.reasonCharacters} characters`)
  }
  return { ran, then, reason }
}

async function unknownAttempt(
  tx: Tx,
  request: Selectable<RequestTable>,
): Promise<Selectable<ExecutionTable>> {
  const execution = await tx
    .selectFrom('execution')
    .selectAll()
    .where('call_id', '=', request.call_id)
    .orderBy('attempt', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  if (execution?.state === 'unknown' && execution.settled_by === null) return execution
  throw new Problem('conflict', 'What happened to this call is known by now', {
    state: execution?.state ?? 'not_started',
  })
}

async function settleExecution(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  execution: Selectable<ExecutionTable>,
  finding: Finding,
  personId: string,
): Promise<void> {
  const event = finding.ran === true ? 'succeed' : 'fail'
  const state =
    finding.ran === null ? null : transition(executionTransitions, execution.state, event)
  await unit.tx
    .updateTable('execution')
    .set({
      ...(state === null ? {} : { state, finished_at: sql<Date>`clock_timestamp()` }),
      reason: 'settled',
      settled_by: personId,
      settled_then: finding.then,
    })
    .where('call_id', '=', execution.call_id)
    .where('attempt', '=', execution.attempt)
    .execute()
  await unit.audit({
    type: 'execution.settled',
    actor: caller.actor,
    channel: caller.channel,
    ...aboutRequest(request),
    digest: request.digest,
    detail: { attempt: execution.attempt, ran: finding.ran, then: finding.then },
  })
}

/** The permit names the check, not the request before: that one's permit was consumed by the lost attempt. */
async function permitAgain(
  ctx: SigningContext,
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  attempt: number,
): Promise<void> {
  const { person } = facts
  const teams = quorumTeams(request.routing.quorum)
  const team = person?.teams.find((one) => teams.includes(one)) ?? ''
  const counted = person === null ? [] : [{ personId: person.id, team }]
  await permitRequest(ctx, unit, caller, request, facts, { counted, attempt })
}
