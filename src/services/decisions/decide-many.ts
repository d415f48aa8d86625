import { newId } from '#domain/new-id.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import { factsForCaller, Problem, type ProblemCode } from '#domain/problem.ts'
import type { RequestState } from '#domain/requests/request.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { attemptOnRequest } from '../requests/people/attempt-on-request.ts'
import type { RequestLocation } from '../requests/people/find-request.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { judgeTogether, type TurnRef } from './decided-together.ts'
import { decideGroup, type GroupOutcome } from './decide-group.ts'
import { decideInGroups } from './decide-in-groups.ts'
import { decideRequest } from './decide-request.ts'
import { invalid } from '../core/problems/invalid.ts'
import { onceForKey } from '../core/idempotency.ts'
import { outageProblem } from '../core/outage-problem.ts'
import { byAttempt } from '../core/authority.ts'

/** The result of one item: the status and code that the single decision would have had. */
export interface BulkItem {
  readonly requestId: string
  readonly status: number
  readonly code?: ProblemCode
  readonly detail?: string
  /** facts of a refusal, as `decidedBy` */
  readonly facts?: JsonObject
  readonly decisionId?: string
  readonly state?: RequestState
  readonly stage?: 'recorded'
}

export interface BulkAnswer {
  readonly batchDecisionId: string
  readonly items: readonly BulkItem[]
}

export interface BulkInput {
  readonly decisions: readonly Json[]
  /** they are decided as the change set of this turn */
  readonly turn?: TurnRef
  readonly idempotencyKey?: string
  /** hash of the token of the caller's session, which must not end before the decision */
  readonly callerSession?: string | null
}

/**
 * Decides up to 200 requests, each judged by the same rules as alone (api.md); many approvals share
 * a transaction. Several approvals must be alike (same tool and rule), of at most medium risk, and
 * not asked before a restore (`not_alike`). This does not apply to the change set of a `turn`: each
 * approval must belong to it (`not_of_turn`), and they are judged in call order. Every approval
 * needs `seen` at any risk (`not_displayed`). Each item of `decisions` is a decision's body with
 * `requestId`, an id or a number. With a key, a repeated call returns the original answers and
 * tries what was refused again.
 */
export async function decideMany(
  ctx: SigningContext,
  caller: Caller,
  input: BulkInput,
): Promise<BulkAnswer> {
  const { idempotencyKey: key, callerSession = null } = input
  if (input.decisions.length < 1 || input.decisions.length > limits.bulkDecisions) {
    throw invalid('decisions', `must have 1 to ${limits.bulkDecisions} items`)
  }
  const items = input.decisions.map(splitItem)
  const viewer = await viewerOf(ctx, caller)
  const decisions = items.map(({ request, body }) => ({
    request,
    approves: body['decision'] === 'approve',
  }))
  const { locations, order, refusals } = await judgeTogether(
    ctx,
    viewer,
    decisions,
    input.turn ?? null,
  )
  const batchDecisionId = await nameBatch(ctx, caller, input)
  const sent = items.map((item, index) => ({
    ...item,
    ...(key === undefined ? {} : { idempotencyKey: `${key}/${index}` }),
    batchDecisionId,
    batchRefusal: refusals.get(index) ?? null,
    callerSession,
    location: locations[index] ?? null,
    index,
  }))
  const answers = new Map<number, BulkItem>()
  const deciding = decideInGroups(
    order.flatMap((index) => sent[index] ?? []),
    async (group) => {
      const outcomes =
        group.length === 1 ? null : await decideGroup(ctx, caller, group, callerSession)
      if (group.length > 1 && outcomes === null) return 'undone'
      for (const [index, item] of group.entries()) {
        answers.set(item.index, await answerOf(ctx, caller, item, outcomes?.[index] ?? null))
      }
      return 'decided'
    },
  )
  const failure = await deciding.then(
    () => null,
    (error: unknown) => failureBeside(answers, error),
  )
  return {
    batchDecisionId,
    items: sent.flatMap(({ index, request }) => {
      const failed = failure === null ? [] : refusedItem(request, failure)
      return answers.get(index) ?? failed
    }),
  }
}

/**
 * The refusal of the items that an outage prevented, when others were decided before it. Throws the
 * error if none was decided, or if it comes from no outage.
 */
function failureBeside(answers: ReadonlyMap<number, BulkItem>, error: unknown): Problem {
  const problem = answers.size === 0 ? null : outageProblem(error)
  if (problem === null) throw error
  return problem
}

interface Item {
  readonly request: string
  readonly body: JsonObject
}

/** An item of the call with its index and what the whole call says about it. */
interface SentItem extends Item {
  readonly idempotencyKey?: string
  readonly batchDecisionId: string
  readonly batchRefusal: Problem | null
  readonly callerSession: string | null
  readonly location: RequestLocation | null
  readonly index: number
}

function splitItem(item: Json): Item {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw invalid('decisions', 'must be a list of objects')
  }
  const { requestId, ...body } = item
  if (typeof requestId !== 'string') throw invalid('requestId', 'must be text: an id or a number')
  return { request: requestId, body }
}

const attemptDetail = { attempt: 'decide' } as const

/** The result of an item: from its group, or from a decision of its own. */
async function answerOf(
  ctx: SigningContext,
  caller: Caller,
  item: SentItem,
  outcome: GroupOutcome | null,
): Promise<BulkItem> {
  try {
    const { requestId, decisionId, state, stage } =
      outcome instanceof Problem
        ? await attemptOnRequest<never>(
            ctx,
            caller,
            item.request,
            attemptDetail,
            async () => outcome,
          )
        : (outcome ?? (await decideRequest(ctx, caller, { ...item, seenAtAnyRisk: true })))
    return { requestId, status: 200, decisionId, state, stage }
  } catch (error) {
    if (error instanceof Problem) return refusedItem(item.request, error)
    throw error
  }
}

function refusedItem(requestId: string, problem: Problem): BulkItem {
  const { status, code, message: detail } = problem
  return { requestId, status, code, detail, facts: factsForCaller(problem) }
}

/** The batch's id; with a key, the same one for the repeated call. */
async function nameBatch(ctx: SigningContext, caller: Caller, input: BulkInput): Promise<string> {
  if (input.idempotencyKey === undefined) return newId()
  const batch = await inUnitOfWork(ctx, byAttempt(caller), (unit) =>
    onceForKey(
      unit.tx,
      { caller, key: input.idempotencyKey, route: 'decide-many', body: bodyOf(input) },
      async () => ({ batchDecisionId: newId() }),
    ),
  )
  return batch.batchDecisionId
}

function bodyOf({ decisions, turn }: BulkInput): Json {
  return turn === undefined ? [...decisions] : { turn: { ...turn }, decisions: [...decisions] }
}
