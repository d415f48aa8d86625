import { newId } from '#domain/new-id.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { isFirstUse, type Ledger, type OnceKey } from '../../core/ledger.ts'
import type { WorkerContext } from '../../core/worker-context.ts'
import { aboutCall, type CallAtHand } from './call-at-hand.ts'
import type { ExecutionPlan } from './execution-plan.ts'
import { bySystem, executor } from '../../core/authority.ts'

/**
 * `undo`: the attempt may act now, and if it then changes nothing, this lets the call begin again.
 * `spent`: the call was carried out before. `used`: this use of the grant was. `failed`: the ledger
 * could not be written for a minute, or until the stop.
 */
export type LedgerRecord = { readonly undo: () => Promise<void> } | 'spent' | 'used' | 'failed'

const refusedChecks = {
  used: 'a use of the grant that was taken before',
  spent: 'an attempt that was carried out before',
} as const

/**
 * Records in the ledger, outside the database, that an attempt begins: after its start and before
 * it acts (security.md 29). A permit is bound to its call and attempt, so that it stays consumed
 * when rows are reset. If the process dies before or after this, the attempt is `started` in the
 * rows. Without a permit the number of the attempt is that of the ledger: rows can be changed so
 * that a call seems to have been refused, or to be repeated. Refusals are in the trail.
 */
export async function recordInLedger(
  ctx: WorkerContext,
  execution: {
    readonly at: CallAtHand
    readonly plan: ExecutionPlan
    readonly attempt: number
    /** for a grant with a bound: the number of this use */
    readonly grantUse: number | null
    /** aborts when the call is to stop */
    readonly stop: AbortSignal
  },
): Promise<LedgerRecord> {
  const { at, attempt, grantUse, stop } = execution
  const { authorisation, tool } = execution.plan
  const isNumberedByRows = authorisation.by === 'permit' || tool.readOnly || tool.idempotent
  const ownId = newId()
  const isFirst = (key: OnceKey) => isFirstUse(ctx.ledger, key, ownId)
  const recordBoth = async (): Promise<LedgerRecord> => {
    if (authorisation.by === 'grant' && grantUse !== null) {
      const use = { kind: 'grant', id: authorisation.grantId, part: String(grantUse) } as const
      if (!(await isFirst(use))) return 'used'
    }
    const { id } = at.call
    const number = await (isNumberedByRows
      ? isFirst(startKey(id, attempt)).then((first) => (first ? attempt : null))
      : nextInLedger(ctx.ledger, id, ownId))
    if (number === null) return 'spent'
    return { undo: async () => void (await ctx.ledger.first(undoKey(id, number), ownId)) }
  }
  let isWaiting = false
  const recordOrLog = () =>
    recordBoth().catch((error: unknown) => {
      if (!isWaiting)
        ctx.log.warn({ err: error, callId: at.call.id }, 'A call waits for the ledger')
      isWaiting = true
      throw error
    })
  // A disk may be full for a moment: an approval is not lost for that.
  const record = await untilStored(recordOrLog, stop).catch((error: unknown) => {
    ctx.log.error({ err: error, callId: at.call.id }, 'The ledger could not be written')
    return 'failed' as const
  })
  if (record === 'used' || record === 'spent') {
    const check = refusedChecks[record]
    await untilStored(() => recordRefusal(ctx, execution, check))
  }
  return record
}

const startKey = (id: string, part: number | string): OnceKey => ({
  kind: 'call',
  id,
  part: String(part),
})
const undoKey = (id: string, number: number): OnceKey => startKey(id, `${number}-undone`)

/**
 * The number of the next attempt if each that began was undone, else `null`. The question stores
 * its answer: an attempt that was not undone by then cannot be undone later.
 */
async function nextInLedger(ledger: Ledger, id: string, ownId: string): Promise<number | null> {
  for (let number = 1; ; number += 1) {
    const starter = await ledger.first(startKey(id, number), ownId)
    if (starter === ownId) return number
    if ((await ledger.first(undoKey(id, number), ownId)) !== starter) return null
  }
}

async function recordRefusal(
  ctx: WorkerContext,
  { at, plan, attempt }: Parameters<typeof recordInLedger>[1],
  check: string,
): Promise<void> {
  const { authorisation } = plan
  await inUnitOfWork(ctx, bySystem(ctx, executor), (unit) =>
    unit.audit({
      type: 'permit.refused',
      ...aboutCall(at),
      digest: plan.digest,
      detail: {
        permitId: authorisation.by === 'permit' ? authorisation.permitId : null,
        ...(authorisation.by === 'grant' ? { grantId: authorisation.grantId } : {}),
        attempt,
        reason: 'already_spent',
        check: `ledger: ${check}`,
      },
    }),
  )
}
