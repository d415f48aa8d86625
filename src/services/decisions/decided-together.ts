import type { Risk } from '#domain/policy/verdict.ts'
import { Problem } from '#domain/problem.ts'
import type { RequestKind } from '#domain/requests/request.ts'
import { isOneOf } from '#store/connection/is-one-of.ts'
import type { ServiceContext } from '../core/context.ts'
import { askedBeforeRestore } from '../requests/facts/asked-before-restore.ts'
import { findRequests, type RequestLocation } from '../requests/people/find-request.ts'
import type { Viewer } from '../requests/people/viewer.ts'
import { needsSignature } from '../requests/facts/needs-signature.ts'

/** One turn of a run, whose requests are decided as a change set (product.md 40). */
export interface TurnRef {
  readonly runId: string
  readonly turn: number
}

/** One of several decisions: its request, and whether it approves. */
export interface ListedDecision {
  readonly request: string
  readonly approves: boolean
}

/**
 * The order in which the decisions of one action are judged, and which of them are refused because
 * of the others.
 */
export interface JudgedBatch {
  /** of each decision of the list; `null` where the viewer may not see its request */
  readonly locations: readonly (RequestLocation | null)[]
  /** indexes into the list as received */
  readonly order: readonly number[]
  readonly refusals: ReadonlyMap<number, Problem>
}

/**
 * Judges the decisions of one action against each other (api.md): several approvals must be alike,
 * of the same tool and rule and of at most medium risk, or all of them are refused. With a turn
 * they need not be alike: each must belong to that turn, they are judged in call order, and only
 * those that need a decision of their own are refused. Denials are always possible.
 */
export async function judgeTogether(
  ctx: ServiceContext,
  viewer: Viewer,
  decisions: readonly ListedDecision[],
  turn: TurnRef | null,
): Promise<JudgedBatch> {
  const candidates = await findFacts(ctx, viewer, decisions)
  const locations = candidates.map((facts) => facts?.location ?? null)
  const approvals = decisions.flatMap((a, index) => (a.approves ? [index] : []))
  const refusals = new Map<number, Problem>()
  if (turn === null) {
    if (approvals.length > 1 && !areAlike(approvals.flatMap((index) => candidates[index] ?? []))) {
      for (const index of approvals) {
        if (candidates[index] !== null) refusals.set(index, notAlike())
      }
    }
    return { locations, order: decisions.map((_, index) => index), refusals }
  }
  for (const [index, facts] of candidates.entries()) {
    if (facts === null) continue
    const isOfTurn = facts.location.runId === turn.runId.toLowerCase() && facts.turn === turn.turn
    if (!isOfTurn) refusals.set(index, notOfTurn(turn))
    else if (approvals.length > 1 && approvals.includes(index) && isSingle(facts)) {
      refusals.set(index, single())
    }
  }
  const positionOf = (index: number): number =>
    candidates[index]?.position ?? Number.MAX_SAFE_INTEGER
  const numberOf = (index: number): number => Number(candidates[index]?.number ?? 0)
  const order = decisions
    .map((_, index) => index)
    .toSorted((a, b) => positionOf(a) - positionOf(b) || numberOf(a) - numberOf(b))
  return { locations, order, refusals }
}

interface BatchFacts {
  readonly location: RequestLocation
  readonly number: string
  readonly turn: number | null
  readonly position: number | null
  readonly tool: string
  readonly rule: string
  readonly risk: Risk
  readonly signed: boolean
  readonly beforeRestore: boolean
}

/**
 * The requests of the decisions, in two queries; `null` for those that the viewer may not see,
 * whose own refusal says so.
 */
async function findFacts(
  ctx: ServiceContext,
  viewer: Viewer,
  decisions: readonly ListedDecision[],
): Promise<readonly (BatchFacts | null)[]> {
  const references = decisions.map(({ request }) => request)
  const locations = await findRequests(ctx.db, viewer, references)
  const ids = locations.flatMap((location) => location?.id ?? [])
  if (ids.length === 0) return locations.map(() => null)
  const rows = await ctx.db
    .selectFrom('request')
    .select(['id', 'number', 'run_id', 'turn', 'position', 'tool', 'rule', 'risk', 'kind'])
    .select(['routing', askedBeforeRestore.as('before_restore')])
    .where(isOneOf('id', ids))
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return locations.map((location) => {
    const row = byId.get(location?.id ?? '')
    if (row === undefined) return null
    const { id, number, turn, position, tool, risk, kind, routing } = row
    return {
      location: { id, runId: row.run_id },
      number,
      turn,
      position,
      tool,
      rule: row.rule.id,
      risk,
      signed: needsSignature({ kind: kind satisfies RequestKind, risk, routing }),
      beforeRestore: row.before_restore,
    }
  })
}

function areAlike(approvals: readonly BatchFacts[]): boolean {
  const patterns = new Set(approvals.map(({ tool, rule }) => JSON.stringify([tool, rule])))
  return patterns.size <= 1 && !approvals.some(isSingle)
}

/**
 * Whether a request must be approved alone. High risk includes every request that requires `again`.
 */
function isSingle({ risk, signed: isSigned, beforeRestore }: BatchFacts): boolean {
  return risk === 'high' || isSigned || beforeRestore
}

function notAlike(): Problem {
  return new Problem(
    'not_alike',
    'Nothing was approved. Requests can be approved together if they have the same tool, the same rule and at most medium risk. None may be opened before a restore',
  )
}

function single(): Problem {
  return new Problem(
    'not_alike',
    'This request must be approved by itself: it has high risk, needs a signature, or was opened before a restore',
  )
}

function notOfTurn({ runId, turn }: TurnRef): Problem {
  return new Problem('not_of_turn', `This is not a request of turn ${turn} of run ${runId}`)
}
