import { sql, type Selectable } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { SigningContext } from '../core/context.ts'
import { endRequest } from '../requests/ending/end-request.ts'
import { issuePermit } from '../permits/permits.ts'
import { judgementCaller } from '../engine/judging/record-verdict.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'

/**
 * Approves a program's request that policy pre-approves, with a permit that names no decider. The
 * executor accepts no such permit; only `consume` does, for a program's request. The caller's
 * transaction has just written the request.
 */
export async function preApproveExternal(
  ctx: SigningContext,
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  judgement: Judgement,
): Promise<void> {
  const { actor } = judgementCaller(judgement)
  const subject = {
    requestId: request.id,
    digest: request.digest,
    policyDigest: request.policy_digest,
  }
  await unit.audit({
    type: 'call.judged',
    actor,
    channel: 'api',
    ...subject,
    detail: {
      verdict: judgement.verdict,
      rule: judgement.rule?.id ?? null,
      tool: judgement.tool,
      kind: 'external',
    },
  })
  await endRequest(unit, request, { event: 'approve' })
  const { rows } = await sql<{ now: Date; epoch: number; facts: CallFacts }>`
    select clock_timestamp() as now, (select epoch from installation) as epoch, facts
    from request_revision where request_id = ${request.id} and revision = ${request.revision}
  `.execute(unit.tx)
  const [row] = rows
  if (row === undefined) throw new Error(`Request ${request.id} has no revision`)
  // As with a decision, the events have the time of the permit.
  unit.setReadAt(row.now)
  const permit = await issuePermit(unit.tx, ctx.signer, {
    requestId: request.id,
    revision: request.revision,
    runId: null,
    callId: null,
    digest: request.digest,
    factsDigest: hashJson(row.facts),
    deciders: [],
    policyDigest: request.policy_digest,
    attempt: request.attempt,
    epoch: row.epoch,
    now: row.now,
    permitForMs: request.routing.permitForMs,
  })
  await unit.audit({
    type: 'permit.issued',
    actor,
    channel: 'api',
    ...subject,
    detail: { permitId: permit.permitId, attempt: permit.attempt, expiresAt: permit.expiresAt },
  })
}
