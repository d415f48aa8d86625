import { sql } from 'kysely'
import { newId } from '#domain/new-id.ts'
import { Problem } from '#domain/problem.ts'
import type { GatewayRefusal } from '#domain/tools/tool-disposition.ts'
import { returnedContent } from '#tools/mcp/returned-content.ts'
import { isStillValid, measureTime } from '../core/elapsed-time.ts'
import { finishGatewayCall } from './finish-gateway-call.ts'
import { isKeyLive } from '../core/rights-of.ts'
import type { SystemContext } from '../core/context.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import { bySystem, executor } from '../core/authority.ts'
import { lockRequests } from '../core/locks.ts'
import { isFirstUse } from '../core/ledger.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { consumeLocked } from '../external/consume-permit.ts'
import { sealProblemOf } from '../external/external-rows.ts'
import { recordStart, subjectOf } from '../external/record-execution.ts'
import { lockCallToMake, type CallToMake } from './call-to-make.ts'
import { storeGatewayRefusal } from './store-gateway-refusal.ts'

/**
 * A permit that one try consumed. Each try locks the request, so that no other try for it has the
 * same time.
 */
interface ConsumedPermit {
  readonly permitId: string
  readonly at: string
}

/** The call about to be made: its digest, and the digest of the version that judged it. */
interface CallToConsume {
  readonly digest: string
  readonly policyDigest: string
  /** aborts when the call is to stop: then it is not made */
  readonly signal: AbortSignal
}

/**
 * Consumes the permit of an approved call, once, and records the start in the trail before
 * the call is made. `none`: there is nothing to make, since it has started, is not approved, or
 * nobody waits for it, or this process stood still after the start and others settled the call, or
 * the ledger could not be written, or the stop came first.
 * `judge_again`: another version was activated since it was judged. If the answer to the commit is
 * lost, it reads whether this very try is recorded.
 */
export async function consumeGatewayPermit(
  ctx: SystemContext,
  requestId: string,
  call: CallToConsume,
): Promise<'consumed' | 'none' | 'judge_again'> {
  const elapsedMs = measureTime()
  /** The tries whose transaction reached its commit: only the last can be recorded. */
  const sent: ConsumedPermit[] = []
  let consumed: ConsumedPermit | 'judge_again' | null
  try {
    consumed = await consumeOnce(ctx, requestId, call, sent)
  } catch (error) {
    const last = sent.at(-1)
    if (last === undefined || !(await untilStored(() => isRecorded(ctx, requestId, last)))) {
      throw error
    }
    consumed = last
  }
  if (consumed === 'judge_again') return consumed
  if (consumed === null) return 'none'
  const { signal } = call
  const entry = await spendOnce(ctx, requestId, { permitId: consumed.permitId, signal })
  if (entry === 'spent') return 'none'
  if (entry === 'failed') {
    const end = signal.aborted ? stopped : ledgerFailed
    await untilStored(() => finishGatewayCall(ctx, requestId, end))
    return 'none'
  }
  const stands = (): Promise<boolean> => untilStored(() => isRecorded(ctx, requestId, consumed))
  const isValid = await isStillValid(elapsedMs, stands)
  if (isValid && !signal.aborted) return 'consumed'
  await untilStored(() => finishGatewayCall(ctx, requestId, isValid ? stopped : stoodStill))
  return 'none'
}

/** The end of a call that did not begin. */
function notMade(reason: string, words: string) {
  const text = `NOT RUN: ${words} Call again to ask anew.`
  return {
    state: 'failed',
    result: returnedContent({ type: 'error', output: null, text }),
    notMade: { refusal: 'failed', reason, words },
  } as const
}

const stoodStill = notMade(
  'host stood still',
  'the host of this call stood still before it could begin.',
)
const stopped = notMade('stopped', 'this call was stopped before it could begin.')
const ledgerFailed = notMade(
  'ledger not written',
  'the host of this call could not write its ledger (is the disk full?).',
)

/**
 * Whether a consumed permit is recorded and nobody has settled the call since. The lock of its
 * request, which a commit under way still holds, makes the answer final.
 */
async function isRecorded(
  ctx: SystemContext,
  requestId: string,
  permit: ConsumedPermit,
): Promise<boolean> {
  return inUnitOfWork(ctx, bySystem(ctx, executor), async ({ tx }) => {
    await lockRequests(tx, [requestId])
    const row = await tx
      .selectFrom('external_request')
      .select('outcome')
      .where('request_id', '=', requestId)
      .where(sql<boolean>`consumed_at = ${permit.at}::timestamptz`)
      .executeTakeFirst()
    return row?.outcome === null
  })
}

function consumeOnce(
  ctx: SystemContext,
  requestId: string,
  { digest, policyDigest }: CallToConsume,
  sent: ConsumedPermit[],
): Promise<ConsumedPermit | 'judge_again' | null> {
  return inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (at === null || !isOpen(at)) return null
    // A server may have been started since, which takes seconds.
    if ((await ctx.policies.inForce(unit.tx)).digest !== policyDigest) return 'judge_again'
    const { request, external } = at
    // A row that was changed by hand stays so: trying again would not help.
    const changed = sealProblemOf(unit, at)
    // An approval does not replace the caller: a call with a key that has ended is not made.
    const key = { id: external.api_key_id, ownerId: external.owner_id }
    if (changed === null && !(await isKeyLive(unit, key))) {
      const reason = 'the key with which it was called is no longer valid'
      await storeGatewayRefusal(unit, requestId, 'blocked', reason)
      await recordUnusedPermit(unit, at, 'forbidden')
      return null
    }
    const permit = changed ?? (await consumeLocked(ctx, unit, at, digest))
    if (permit instanceof Problem) {
      // The permit's own state says that it was revoked or not used in time.
      const isPermitEnd = permit.code === 'cancelled' || permit.code === 'expired'
      if (!isPermitEnd) await storeGatewayRefusal(unit, requestId, 'failed', permit.message)
      await recordUnusedPermit(unit, at, permit.code)
      return null
    }
    const { permitId } = permit
    const start = { by: 'gateway', permitId, keyId: external.api_key_id } as const
    const consumed: ConsumedPermit = { permitId, at: await recordStart(unit, request, start) }
    sent.push(consumed)
    return consumed
  })
}

/** Approved, awaited, not started and not refused. */
export function isOpen({ request, external, call, isAwaited }: CallToMake): boolean {
  const isApproved = request.state === 'approved' && request.kind === 'external'
  return isApproved && isAwaited && external.consumed_at === null && call.refusal === null
}

/** The ledger, outside the database, prevents a second call after a reset of rows. */
async function spendOnce(
  ctx: SystemContext,
  requestId: string,
  { permitId, signal }: { readonly permitId: string; readonly signal: AbortSignal },
): Promise<'first' | 'spent' | 'failed'> {
  const ownId = newId()
  const key = { kind: 'permit', id: permitId } as const
  try {
    if (await untilStored(() => isFirstUse(ctx.ledger, key, ownId), signal)) return 'first'
  } catch (error) {
    ctx.log.error({ err: error, requestId }, 'The ledger could not be written')
    return 'failed'
  }
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (at === null) return
    await storeGatewayRefusal(
      unit,
      requestId,
      'failed',
      'the ledger says that its permit was used before',
    )
    await recordUnusedPermit(unit, at, 'already_consumed')
  })
  return 'spent'
}

/** Refuses an approved call before it is made: policy or the server has changed. */
export async function refuseGatewayCall(
  ctx: SystemContext,
  requestId: string,
  refusal: GatewayRefusal,
  reason: string,
): Promise<void> {
  await inUnitOfWork(ctx, bySystem(ctx, executor), async (unit) => {
    const at = await lockCallToMake(unit.tx, requestId)
    if (at === null || !isOpen(at)) return
    await storeGatewayRefusal(unit, requestId, refusal, reason)
    await recordUnusedPermit(unit, at, refusal)
  })
}

/** Records in the trail that a permit was not used, and why. */
export async function recordUnusedPermit(
  unit: UnitOfWork,
  at: CallToMake,
  code: string,
): Promise<void> {
  await unit.audit({
    type: 'permit.refused',
    ...subjectOf(at.request),
    detail: { attempt: 'gateway', code },
  })
  await unit.event('request.changed', { requestId: at.request.id })
}
