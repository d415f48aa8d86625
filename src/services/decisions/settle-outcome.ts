import { sql, type Selectable } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { quorumTeams } from '#domain/deciding/quorum.ts'
import {
  settlementThens,
  type RequestState,
  type SettlementThen,
} from '#domain/requests/request.ts'
import { executionTransitions, transition } from '#domain/requests/transitions.ts'
import { needOfRequests } from '#domain/runs/need-of-run.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Tx } from '#store/database.ts'
import type { ExecutionTable } from '#store/tables/runs.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { lockActivationSharedFirst } from '../core/locks.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import type { DecisionFacts } from '../requests/facts/decision-facts.ts'
import { factsWhileOpen } from '../requests/ending/refuse-ended.ts'
import { invalid, requireWords } from '../core/problems/invalid.ts'
import { aboutRequest, endRequest } from '../requests/ending/end-request.ts'
import { judgePerson } from './judge-decision.ts'
import { permitRequest } from '../permits/permit-request.ts'
import { recordDecision } from './record-decision.ts'
import { cancelRequests } from '../requests/ending/cancel-requests.ts'
import { lockWithSiblings } from '../requests/ending/lock-with-siblings.ts'
import { wakeWaiting } from '../requests/ending/wake-waiting.ts'
import { byAttempt } from '../core/authority.ts'

/** What a person found out about a call whose end is unknown, and what happens next. */
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
  readonly then: SettlementThen
  readonly reason: string
}

/**
 * Settles an outcome check (architecture.md, execution) for one person who may decide it. The
 * unknown attempt becomes `succeeded` or `failed`, or stays `unknown` when nobody can tell; `again`
 * issues a permit for the next attempt; `stop` stops the turn as a denial does. Rejects as a
 * decision does.
 */
export async function settleOutcome(
  ctx: SigningContext,
  caller: Caller,
  input: SettleOutcomeInput,
): Promise<SettledAnswer> {
  const finding = parseFinding(input)
  return attemptOnRequest(ctx, caller, input.request, { attempt: 'settle' }, (target) =>
    inUnitOfWork(ctx, byAttempt(caller), (unit) =>
      settleLocked(ctx, unit, caller, target, finding),
    ),
  )
}

async function settleLocked(
  ctx: SigningContext,
  attempt: UnitOfWork,
  caller: Caller,
  target: RequestLocation,
  finding: Finding,
): Promise<SettledAnswer | Problem> {
  const stop = finding.then === 'stop'
  const [, { request, later }] = await together([
    lockActivationSharedFirst(attempt.tx),
    lockWithSiblings(attempt.tx, target, stop ? 'turn' : 'request'),
  ])
  if (request.kind !== 'outcome_check') {
    throw invalid('request', `is not an outcome check; ${needOfRequests([request])} it`)
  }
  const facts = await factsWhileOpen(attempt, caller, request)
  if (facts instanceof Problem) return facts
  const voter = judgePerson(caller, request, facts)
  const unit = attempt.under(voter.authority)
  if (request.run_id === null && finding.then === 'again') {
    throw invalid('then', '"again" is only for calls of runs: a program repeats its call itself')
  }
  const execution = request.run_id === null ? null : await unknownAttempt(unit.tx, request)
  const { digest } = facts.revision
  const unsigned = { reason: finding.reason, seen: null, assertion: null }
  const common = { digest, revision: request.revision, ...unsigned }
  const decisionId = await recordDecision(
    unit,
    caller,
    request,
    stop
      ? { decision: 'deny', then: 'stop', ...common }
      : { decision: 'approve', scope: 'once', bounds: null, again: false, ...common },
    { ...voter, batchDecisionId: null, facts, signed: null },
  )
  await (execution === null
    ? settleExternal(unit, request, finding)
    : settleExecution(unit, caller, request, execution, finding, voter.person.id))
  const wake = [request.id]
  if (stop) {
    await endRequest(unit, request, { event: 'deny', then: 'stop' })
    await cancelRequests(unit, later, 'sibling_denied', { denied: request.id })
    wake.push(...later.map(({ id }) => id))
  } else {
    await endRequest(unit, request, { event: 'approve' })
  }
  if (finding.then === 'again' && execution !== null) {
    await permitAgain(ctx, unit, request, facts, execution.attempt + 1)
  }
  await wakeWaiting(unit, request, wake)
  return { requestId: request.id, decisionId, state: stop ? 'denied' : 'approved' }
}

function parseFinding(input: SettleOutcomeInput): Finding {
  const { ran, reason } = input
  if (ran !== true && ran !== false && ran !== null) {
    throw invalid('ran', 'must be true, false or null')
  }
  const then = settlementThens.find((option) => option === input.then)
  if (then === undefined) {
    throw invalid('then', 'must be "continue", "again" or "stop"')
  }
  if (then === 'again' && ran !== false) throw invalid('then', '"again" needs ran: false')
  requireWords('reason', reason)
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
  throw new Problem('conflict', 'The outcome of this call is already settled', {
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

/** The permit names the check; the lost attempt consumed the earlier request's. */
async function permitAgain(
  ctx: SigningContext,
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  facts: DecisionFacts,
  attempt: number,
): Promise<void> {
  const { person } = facts
  const teams = quorumTeams(request.routing.quorum)
  const team = person?.teams.find((option) => teams.includes(option)) ?? ''
  const countedVotes = person === null ? [] : [{ personId: person.id, team }]
  await permitRequest(ctx, unit, request, facts, { countedVotes, attempt })
}

/**
 * Records what a person found out about a lost call of the gateway: it took effect, it did not, or
 * nobody can tell (`null`: it stays unknown). Rejects with `conflict` when its end is known.
 */
async function settleExternal(
  unit: UnitOfWork,
  check: Selectable<RequestTable>,
  finding: { readonly ran: boolean | null; readonly then: SettlementThen },
): Promise<void> {
  const { ran, then } = finding
  const settled = await unit.tx
    .updateTable('external_request')
    .set({
      outcome: ran === null ? 'unknown' : ran ? 'succeeded' : 'failed',
      outcome_at: sql<Date>`clock_timestamp()`,
    })
    .where('request_id', '=', check.outcome_of)
    .where('outcome', '=', 'unknown')
    .executeTakeFirst()
  if (settled.numUpdatedRows !== 1n) {
    throw new Problem('conflict', 'The outcome of this call is already settled')
  }
  await unit.audit({
    type: 'execution.settled',
    ...aboutRequest(check),
    digest: check.digest,
    detail: { by: 'gateway', outcomeOf: check.outcome_of, ran, then },
  })
  await unit.event('request.changed', { requestId: check.outcome_of })
}
