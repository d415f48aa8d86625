import { sql, type Selectable } from 'kysely'
import { hashJson } from '../../domain/digest.ts'
import { Problem } from '../../domain/problem.ts'
import type { PermitState } from '../../domain/request.ts'
import { permitTransitions, transition } from '../../domain/transitions.ts'
import type { Tx } from '../../store/database.ts'
import type { PermitTable } from '../../store/tables/decisions.ts'
import type { RequestTable } from '../../store/tables/requests.ts'
import type { Caller, ServiceContext } from '../context.ts'
import { expiredProblem, refuseEnded } from '../decisions/ending/refuse-ended.ts'
import { expireLocked } from '../decisions/ending/expire-locked.ts'
import { verifyPermit, type PermitVerdict } from '../decisions/permits/permits.ts'
import { findRequestFor } from '../requests/find-request.ts'
import { inUnitOfWork, type UnitOfWork } from '../unit-of-work.ts'
import { readConsumeFacts, type ConsumeFacts } from './consume-facts.ts'
import { lockOwn, type OwnExternal } from './own-external.ts'
import { requireProgram } from './require-program.ts'

/** The right to make the call once, as it was signed. */
export interface TakenPermit {
  readonly permitId: string
  readonly requestId: string
  readonly digest: string
  readonly expiresAt: Date
  /** canonical JSON, the bytes that are signed behind `countersign/permit/v1` and a NUL */
  readonly statement: string
  /** Ed25519, base64url */
  readonly signature: string
  readonly keyId: string
}

/**
 * A program takes its permit, once: the right to make exactly the approved call now. The request, its permit and the
 * clock are judged under the request's lock, and the permit is consumed in the same transaction, so that of any number
 * of takers one gets it. Rejects with `digest_required`, `stale_digest`, `conflict` (nobody has decided yet),
 * `already_decided` (denied), `expired` (the request, or the hour of the approval), `cancelled` (withdrawn, or the
 * approval taken back), `already_consumed`, `forbidden` or `not_found`; every refusal is in the trail.
 */
export async function consumePermit(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly request: string; readonly digest: string | null },
): Promise<TakenPermit> {
  const found = await findRequestFor(ctx, caller, input.request)
  const program = requireProgram(caller)
  const answer = await inUnitOfWork(ctx, async (unit) => {
    const own = await lockOwn(unit.tx, program, found.id)
    const taken = await takeLocked(ctx, unit, own, input.digest)
    if (taken instanceof Problem) {
      await recordRefusal(unit, caller, own.request, taken)
      return taken
    }
    await unit.tx
      .updateTable('external_request')
      .set({ consumed_by: program.id, consumed_at: sql<Date>`clock_timestamp()` })
      .where('request_id', '=', own.request.id)
      .execute()
    const about = aboutCall(caller, own.request)
    await unit.audit(
      { type: 'permit.consumed', ...about, detail: { permitId: taken.permitId } },
      { type: 'execution.started', ...about, detail: { by: 'program', permitId: taken.permitId } },
    )
    await unit.event('request.changed', { requestId: own.request.id })
    return taken
  })
  if (answer instanceof Problem) throw answer
  return answer
}

async function takeLocked(
  ctx: ServiceContext,
  unit: UnitOfWork,
  { request, external }: OwnExternal,
  digest: string | null,
): Promise<TakenPermit | Problem> {
  if (digest === null) {
    return new Problem('digest_required', 'Consuming names the digest of what is about to be done')
  }
  const facts = await readConsumeFacts(unit.tx, request.id)
  const standing = await refuseStanding(unit, request, facts)
  if (standing !== null) return standing
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
  if (permit === null) return new Problem('conflict', 'There is no permit for this request')
  const verdict = verifyPermit(ctx.verifier, permit, {
    requestId: request.id,
    revision: request.revision,
    runId: null,
    callId: null,
    digest: request.digest,
    factsDigest: hashJson(facts.facts),
    policyDigest: request.policy_digest,
    attempt: request.attempt,
    epoch: facts.epoch,
    now: facts.now,
    byPolicy: external.verdict === 'preApproved',
  })
  if (!verdict.ok) return refusedPermit(unit.tx, permit, verdict)
  await endPermit(unit.tx, permit.id, 'consume')
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

/** Pending, and over or not; denied, expired, withdrawn. `null`: it is approved. */
async function refuseStanding(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  { now }: ConsumeFacts,
): Promise<Problem | null> {
  if (request.state === 'approved') return null
  if (request.state !== 'pending') return refuseEnded(unit.tx, request)
  if (now < request.expires_at) {
    return new Problem('conflict', 'Nobody has decided this yet', { state: request.state })
  }
  await expireLocked(unit, request)
  return expiredProblem(request)
}

async function refusedPermit(
  tx: Tx,
  permit: Selectable<PermitTable>,
  verdict: Extract<PermitVerdict, { ok: false }>,
): Promise<Problem> {
  switch (verdict.reason) {
    case 'revoked':
      return new Problem('cancelled', 'The approval was taken back before it was used', {
        cancelReason: 'revoked',
      })
    case 'lapsed':
      if (permit.state === 'live') await endPermit(tx, permit.id, 'lapse')
      return new Problem('expired', 'The approval was not used in time; ask again', {
        expiresAt: permit.expires_at.toISOString(),
      })
    case 'invalid_permit':
      return new Problem('conflict', 'The permit is not one for this request; ask again', {
        detail: verdict.detail,
      })
  }
}

async function endPermit(tx: Tx, permitId: string, event: 'consume' | 'lapse'): Promise<void> {
  const state = transition(permitTransitions, 'live', event) satisfies PermitState | null
  const ended = await tx
    .updateTable('permit')
    .set({ state: state ?? 'live', ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', permitId)
    .where('state', '=', 'live')
    .executeTakeFirst()
  if (ended.numUpdatedRows !== 1n) throw new Error(`Permit ${permitId} was not locked`)
}

function aboutCall({ actor, channel }: Caller, request: Selectable<RequestTable>) {
  const { digest, id: requestId, policy_digest: policyDigest } = request
  return { actor, channel, requestId, digest, policyDigest }
}

async function recordRefusal(
  unit: UnitOfWork,
  caller: Caller,
  request: Selectable<RequestTable>,
  { code }: Problem,
): Promise<void> {
  await unit.audit({
    type: 'permit.refused',
    ...aboutCall(caller, request),
    detail: { attempt: 'consume', code },
  })
}
