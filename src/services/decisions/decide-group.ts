import type { Selectable } from 'kysely'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { together } from '#store/connection/side-by-side.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { byAttempt } from '../core/authority.ts'
import { lockKeys, type LockedKeys } from '../core/idempotency.ts'
import { lockActivationSharedFirst, lockRequests, lockRunsAndRequests } from '../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { parseDecision } from '../requests/facts/decision-input.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import {
  readManyFacts,
  type Decider,
  type DecisionFacts,
} from '../requests/facts/decision-facts.ts'
import { deciderOf, judgeLocked, writeDecision, type DecisionAnswer } from './decide-locked.ts'

/** An approval in a group: its request was found, and nothing has refused it so far. */
export interface GroupedApproval {
  readonly body: JsonObject
  readonly location: RequestLocation | null
  readonly idempotencyKey?: string
  readonly batchDecisionId: string
}

/** The answer of the decision, or why it was refused. */
export type GroupOutcome = DecisionAnswer | Problem

/**
 * Decides approvals of any runs, or of none, in one transaction: it locks their rows in the one
 * order, judges each alone, and writes the results together. A refusal concerns its own request
 * only. `null`: the transaction failed and wrote nothing; the caller then decides smaller groups,
 * so that one failure does not stop the others.
 */
export async function decideGroup(
  ctx: SigningContext,
  caller: Caller,
  group: readonly GroupedApproval[],
  callerSession: string | null,
): Promise<readonly GroupOutcome[] | null> {
  const keys = group.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
  try {
    return await inUnitOfWork(ctx, byAttempt(caller), async (unit) => {
      const locked = await lockKeys(unit.tx, caller, keys)
      const rows = await readGroup(unit, deciderOf(caller, callerSession), group)
      const deciding = { unit, caller, keys: locked, rows }
      const outcomes = await together(group.map((item) => decideOne(ctx, deciding, item)))
      locked.rememberIn(unit)
      return outcomes
    })
  } catch (error) {
    ctx.log.warn(
      { err: error, size: group.length },
      'a group of decisions failed and is repeated in smaller groups',
    )
    return null
  }
}

/** The rows by which the decisions of a group are judged. */
interface GroupRows {
  readonly requests: ReadonlyMap<string, Selectable<RequestTable>>
  readonly facts: ReadonlyMap<string, (locked: Selectable<RequestTable>) => DecisionFacts>
}

/** Locks the rows of the group, and reads its facts with a later statement. */
async function readGroup(
  unit: UnitOfWork,
  decider: Decider,
  group: readonly GroupedApproval[],
): Promise<GroupRows> {
  const ids = group.flatMap(({ location }) => location?.id ?? [])
  const runIds = new Set(group.flatMap(({ location }) => location?.runId ?? []))
  const [, rows, facts] = await together([
    lockActivationSharedFirst(unit.tx),
    runIds.size === 0 ? lockRequests(unit.tx, ids) : lockRunsAndRequests(unit.tx, [...runIds], ids),
    readManyFacts(unit, ids, decider),
  ])
  return { requests: new Map(rows.map((row) => [row.id, row])), facts }
}

interface GroupTransaction {
  readonly unit: UnitOfWork
  readonly caller: Caller
  readonly keys: LockedKeys
  readonly rows: GroupRows
}

/** Decides one of them. A refusal is returned, and nothing of that decision is written. */
async function decideOne(
  ctx: SigningContext,
  { unit, caller, keys, rows }: GroupTransaction,
  item: GroupedApproval,
): Promise<GroupOutcome> {
  const { body, location, batchDecisionId, idempotencyKey: key } = item
  const request = rows.requests.get(location?.id ?? '')
  const factsOf = rows.facts.get(location?.id ?? '')
  if (request === undefined || factsOf === undefined)
    throw new Error('A request of the group could not be locked')
  const call = { caller, key, route: `decide:${request.id}`, body }
  const how = { caller, batchDecisionId, seenAtAnyRisk: true, sessionHash: null }
  return refusalOr(
    keys.once(call, async () => {
      const decision = { ...how, decision: parseDecision(body) }
      const judgement = await judgeLocked(unit, request, factsOf(request), decision)
      if (judgement instanceof Problem) return judgement
      const write = { ...decision, ...judgement, request, later: [], delegationRequests: [] }
      return writeDecision(ctx, unit, { ...write, announces: false }).catch((error: unknown) => {
        throw new Error('A decision of the group could not be written', { cause: error })
      })
    }),
  )
}

async function refusalOr(outcome: Promise<GroupOutcome>): Promise<GroupOutcome> {
  try {
    return await outcome
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
