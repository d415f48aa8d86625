import { v7 as uuidv7 } from 'uuid'
import type { Json, JsonObject } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { Problem } from '../../domain/problem.ts'
import type { RequestState } from '../../domain/request.ts'
import type { Caller, SigningContext } from '../context.ts'
import { askedBeforeRestore } from '../requests/asked-before-restore.ts'
import { findRequest } from '../requests/find-request.ts'
import { viewerOf, type Viewer } from '../requests/viewer.ts'
import { inUnitOfWork } from '../unit-of-work.ts'
import { decideRequest } from './decide-request.ts'
import { invalid } from './decision-input.ts'
import { onceForKey } from './idempotency.ts'

/** What became of one item: the status and code that the single decision would have had. */
export interface BulkItem {
  readonly requestId: string
  readonly status: number
  readonly code?: string
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

/**
 * Decides up to 200 requests, each in a transaction of its own and judged alone by the same rules (api.md). Several
 * approvals together must be alike (same tool and rule), of at most medium risk and not asked before a restore; the others
 * get `not_alike`.
 * Each item of `decisions` is a decision's body with `requestId`, an id or a number. With a key, a repeated call
 * gives each item its original answer and tries again what was refused.
 */
export async function decideMany(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly decisions: readonly Json[]; readonly idempotencyKey?: string },
): Promise<BulkAnswer> {
  const { idempotencyKey: key } = input
  if (input.decisions.length < 1 || input.decisions.length > limits.bulkDecisions) {
    throw invalid('decisions', `must have 1 to ${limits.bulkDecisions} items`)
  }
  const items = input.decisions.map(splitItem)
  const viewer = await viewerOf(ctx, caller)
  const unlike = await findUnlike(ctx, viewer, items)
  const batchDecisionId = await nameBatch(ctx, caller, input)
  const answers: BulkItem[] = []
  for (const [index, item] of items.entries()) {
    if (unlike.has(index)) {
      answers.push(refusedItem(item.request, unlikeProblem()))
      continue
    }
    const keyed = key === undefined ? {} : { idempotencyKey: `${key}/${index}` }
    answers.push(await decideOne(ctx, caller, { ...item, ...keyed, batchDecisionId }))
  }
  return { batchDecisionId, items: answers }
}

interface Item {
  readonly request: string
  readonly body: JsonObject
}

function splitItem(item: Json): Item {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw invalid('decisions', 'must be a list of objects')
  }
  const { requestId, ...body } = item
  if (typeof requestId !== 'string') throw invalid('requestId', 'must be text: an id or a number')
  return { request: requestId, body }
}

async function decideOne(
  ctx: SigningContext,
  caller: Caller,
  item: Item & { readonly idempotencyKey?: string; readonly batchDecisionId: string },
): Promise<BulkItem> {
  try {
    const { requestId, decisionId, state, stage } = await decideRequest(ctx, caller, item)
    return { requestId, status: 200, decisionId, state, stage }
  } catch (error) {
    if (error instanceof Problem) return refusedItem(item.request, error)
    throw error
  }
}

function refusedItem(requestId: string, problem: Problem): BulkItem {
  const { status, code, message: detail, facts } = problem
  return { requestId, status, code, detail, facts }
}

function unlikeProblem(): Problem {
  return new Problem(
    'not_alike',
    'Approve together only what has the same tool and rule, at most medium risk, and was not asked before a restore',
  )
}

/** Places of the approvals that may not go together with the first that may: another tool or rule, high risk, or from before a restore. */
async function findUnlike(
  ctx: SigningContext,
  viewer: Viewer,
  items: readonly Item[],
): Promise<ReadonlySet<number>> {
  const approvals = [...items.entries()].filter(([, item]) => item.body['decision'] === 'approve')
  const unlike = new Set<number>()
  if (approvals.length < 2) return unlike
  let pattern: string | null = null
  for (const [index, item] of approvals) {
    const kind = await kindOf(ctx, viewer, item.request)
    if (kind === null) continue
    if (kind.alone || (pattern !== null && pattern !== kind.pattern)) unlike.add(index)
    else pattern = kind.pattern
  }
  return unlike
}

/** `null` for what the viewer may not see: its own refusal says so. */
async function kindOf(
  ctx: SigningContext,
  viewer: Viewer,
  reference: string,
): Promise<{ pattern: string; alone: boolean } | null> {
  try {
    const { id } = await findRequest(ctx.db, viewer, reference)
    const row = await ctx.db
      .selectFrom('request')
      .select(['tool', 'rule', 'risk', askedBeforeRestore.as('before_restore')])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const alone = row.risk === 'high' || row.before_restore
    return { pattern: JSON.stringify([row.tool, row.rule.id]), alone }
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

/** The batch's id; with a key, the same one for the repeated call. */
async function nameBatch(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly decisions: readonly Json[]; readonly idempotencyKey?: string },
): Promise<string> {
  const named = await inUnitOfWork(ctx, (unit) =>
    onceForKey(
      unit.tx,
      { caller, key: input.idempotencyKey, route: 'decide-many', body: input.decisions },
      async () => ({ batchDecisionId: uuidv7() }),
    ),
  )
  if (named instanceof Problem) throw named
  return named.batchDecisionId
}
