import type { Selectable } from 'kysely'
import { newId } from '#domain/new-id.ts'
import type { ConsumedAnswer } from '#api/schemas/requests/external.ts'
import { hashJson } from '#domain/json/digest.ts'
import { Problem } from '#domain/problem.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import type { Tx } from '#store/database.ts'
import type { PermitTable } from '#store/tables/decisions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { Caller, ServiceContext, SigningContext } from '../core/context.ts'
import { expireIfOver, refuseEnded } from '../requests/ending/refuse-ended.ts'
import { endPermit } from '../permits/end-permit.ts'
import { verifyPermit, type PermitVerdict } from '../permits/permits.ts'
import { findRequestFor } from '../requests/people/find-request.ts'
import { markRecorded, recordRefusal } from '../refusals/record-refusal.ts'
import { isFirstUse } from '../core/ledger.ts'
import { inUnitOfWork, type UnitOfWork, type JudgingContext } from '../core/unit-of-work.ts'
import { readConsumeFacts, type ConsumeFacts } from './consume-facts.ts'
import { recordStart, subjectOf } from './record-execution.ts'
import { refuseServiceCall } from '../requests/facts/gateway-call.ts'
import type { ExternalRows } from './external-rows.ts'
import { lockOwn } from './own-external.ts'
import { isOutdated, refusalByPolicy } from './refusal-by-policy.ts'
import { byRefusal } from '../core/authority.ts'
import type { RecordOf } from '../core/record-of.ts'

/**
 * How long a permit waits for the ledger. A client waits 30 s for the answer and an HTTP hook 60 s:
 * nobody would get a later one, and the approval would be lost without a word.
 */
const ledgerWithinMs = 20_000

/** The right to make the call once, as it was signed. */
export type ConsumedPermit = RecordOf<ConsumedAnswer['permit']>

/**
 * Consumes the permit of a program, once: the right to make exactly the approved call now. The
 * request, its permit and the time are judged under the request's lock, in the transaction that
 * consumes it, so that of any number of concurrent callers one gets it. Rejects with
 * `digest_required`, `stale_digest`, `conflict` (no decision yet, or the ledger cannot be written),
 * `already_decided` (denied), `expired` (the request, or the hour of the approval), `cancelled`
 * (withdrawn, or the approval was revoked), `policy_blocked` (by now), `already_consumed`,
 * `forbidden` or `not_found`. Every refusal is in the trail.
 */
export async function consumePermit(
  ctx: SigningContext,
  caller: Caller,
  input: { readonly request: string; readonly digest: string | null },
): Promise<ConsumedPermit> {
  const target = await findRequestFor(ctx, caller, input.request)
  // Judging may take a round trip to another host: no lock is held meanwhile.
  const policy = await refusalByPolicy(ctx, target.id)
  const judge = (judging: JudgingContext) => lockOwn(judging, caller, target.id)
  const answer = await inUnitOfWork(ctx, judge, async (unit, ownExternal) => {
    await refuseServiceCall(unit.tx, target.id)
    const { authority, external, request } = ownExternal
    const isOpen = request.state === 'approved' && external.consumed_at === null
    if (isOpen && (await isOutdated(ctx, unit.tx, policy))) return 'judge_again'
    const refusal = isOpen ? (policy?.refusal ?? null) : null
    const outcome = refusal ?? (await consumeLocked(ctx, unit, ownExternal, input.digest))
    if (outcome instanceof Problem) return { problem: outcome, request }
    const { permitId } = outcome
    await recordStart(unit, request, { by: 'program', permitId, keyId: authority.actor.id })
    return outcome
  })
  if (answer === 'judge_again') return consumePermit(ctx, caller, input)
  if (!('problem' in answer)) {
    await spendOnce(ctx, caller, answer)
    return answer
  }
  const { problem, request } = answer
  const detail = { attempt: 'consume', code: problem.code }
  const { actor, channel } = caller
  const entry = { type: 'permit.refused', actor, channel, ...subjectOf(request), detail } as const
  await recordRefusal(ctx, entry)
  markRecorded(problem)
  throw problem
}

/**
 * Records in the ledger, outside the database, that a permit is handed out: a reset of rows does
 * not hand it out again (security.md 29). The program gets the permit after this; if the process
 * dies before, or the ledger cannot be written for {@link ledgerWithinMs}, nobody got it.
 */
async function spendOnce(
  ctx: ServiceContext,
  caller: Caller,
  { permitId, requestId, digest }: ConsumedPermit,
): Promise<void> {
  const ownId = newId()
  const key = { kind: 'permit', id: permitId } as const
  const taken = 'This permit was taken before, although the database does not show it'
  let problem = new Problem('already_consumed', taken)
  try {
    // A disk may be full for a moment: an approval is not lost for that.
    const stop = AbortSignal.timeout(ledgerWithinMs)
    if (await untilStored(() => isFirstUse(ctx.ledger, key, ownId), stop)) return
  } catch (error) {
    ctx.log.error({ err: error, requestId }, 'The ledger could not be written')
    const why = 'The permit is used up without a call: the ledger could not be written. Ask again'
    // Not `already_consumed`, for which clients say that the call may have run.
    problem = new Problem('conflict', why)
  }
  const detail = { permitId, attempt: 'consume', code: problem.code, check: 'ledger' }
  const type = 'permit.refused'
  await inUnitOfWork(ctx, byRefusal({ type, ...caller }), (unit) =>
    unit.audit({ type, requestId, digest, detail }),
  )
  throw problem
}

/**
 * Consumes the permit of a locked request, if it is approved and everything about it still holds;
 * else returns why not.
 */
export async function consumeLocked(
  ctx: ServiceContext,
  unit: UnitOfWork,
  { request, external }: ExternalRows,
  digest: string | null,
): Promise<ConsumedPermit | Problem> {
  if (digest === null) {
    return new Problem('digest_required', 'The call must name the digest of what is about to run')
  }
  const facts = await readConsumeFacts(unit.tx, request.id)
  const refusal = await refuseUnlessApproved(unit, request, facts)
  if (refusal !== null) return refusal
  if (external.consumed_at !== null) {
    const consumedAt = external.consumed_at.toISOString()
    return new Problem('already_consumed', 'This permit was taken before', { consumedAt })
  }
  if (digest !== request.digest) {
    return new Problem('stale_digest', 'This digest is not that of what was approved', {
      digest: request.digest,
      revision: request.revision,
    })
  }
  const { permit } = facts
  if (permit === null) return noPermit()
  const verdict = judgePermit(ctx, { request, external }, { ...facts, permit })
  if (!verdict.ok) return refusedPermit(unit.tx, permit, verdict)
  if (!(await endPermit(unit.tx, permit.id, 'consume'))) {
    throw new Error(`Permit ${permit.id} was not locked`)
  }
  return consumedPermit(request, permit)
}

/**
 * The permit that a locked request has consumed. It is verified again, except for its times:
 * somebody who marks the row of a revoked approval as consumed by SQL does not make the approval
 * valid.
 */
export async function readConsumed(
  ctx: ServiceContext,
  unit: UnitOfWork,
  { request, external }: ExternalRows,
): Promise<ConsumedPermit | Problem> {
  const facts = await readConsumeFacts(unit.tx, request.id)
  const { permit } = facts
  if (permit === null) return noPermit()
  const { state } = permit
  const taken = { ...permit, state: state === 'consumed' ? ('live' as const) : state }
  const verdict = judgePermit(
    ctx,
    { request, external },
    { ...facts, permit: taken, now: permit.issued_at },
  )
  return verdict.ok ? consumedPermit(request, permit) : refusedPermit(unit.tx, permit, verdict)
}

function noPermit(): Problem {
  return new Problem('conflict', 'There is no permit for this request')
}

function judgePermit(
  ctx: ServiceContext,
  { request, external }: ExternalRows,
  { permit, ...facts }: ConsumeFacts & { readonly permit: Selectable<PermitTable> },
): PermitVerdict {
  return verifyPermit(ctx, permit, {
    requestId: request.id,
    revision: request.revision,
    runId: null,
    callId: null,
    digest: request.digest,
    factsDigest: hashJson(facts.facts),
    policyDigest: request.policy_digest,
    attempt: request.attempt,
    epoch: Math.max(facts.epoch, ctx.memory.epoch()),
    now: facts.now,
    byPolicy: external.verdict === 'preApproved',
  })
}

function consumedPermit(
  request: Selectable<RequestTable>,
  permit: Selectable<PermitTable>,
): ConsumedPermit {
  return {
    permitId: permit.id,
    requestId: request.id,
    digest: request.digest,
    expiresAt: permit.expires_at,
    statement: permit.statement,
    signature: permit.signature,
    keyId: permit.key_id,
  }
}

/** `null`: it is approved; else the refusal for a pending, denied, expired or withdrawn request. */
async function refuseUnlessApproved(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  { now }: ConsumeFacts,
): Promise<Problem | null> {
  if (request.state === 'approved') return null
  if (request.state !== 'pending') return refuseEnded(unit.tx, request)
  const expired = await expireIfOver(unit, request, now)
  if (expired !== null) return expired
  return new Problem('conflict', 'Nobody has decided this yet', { state: request.state })
}

async function refusedPermit(
  tx: Tx,
  permit: Selectable<PermitTable>,
  verdict: Extract<PermitVerdict, { ok: false }>,
): Promise<Problem> {
  switch (verdict.reason) {
    case 'revoked':
      return new Problem('cancelled', 'The approval was revoked before it was used', {
        cancelReason: 'revoked',
      })
    case 'lapsed':
      await endPermit(tx, permit.id, 'lapse')
      return new Problem('expired', 'The approval was not used in time; ask again', {
        expiresAt: permit.expires_at.toISOString(),
      })
    case 'invalid_permit':
      return new Problem('conflict', 'The permit is not for this request; ask again', {
        why: verdict.detail,
      })
  }
}
