import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { SigningSystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'
import { tamperedProblem } from '../core/tampered.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { consumeLocked, readConsumed } from '../external/consume-permit.ts'
import { isOutdated, refusalByPolicy } from '../external/refusal-by-policy.ts'
import { lockDeployment, type PermittedDeployment } from './deployment-request.ts'

/** Answers GitHub, in the API process. */
export const deployer: SystemCaller = {
  actor: { type: 'system', name: 'deployments' },
  channel: 'relay',
}

/**
 * Consumes the permit of an approved deployment before GitHub gets the answer, so that a revoked or
 * expired approval, or one of what policy blocks by now, releases nothing. A second try for the
 * same request returns the same, so that a process that was killed can answer GitHub again. A
 * Problem says why it cannot continue.
 */
export async function consumeDeploymentPermit(
  ctx: SigningSystemContext,
  requestId: string,
): Promise<PermittedDeployment | Problem> {
  const policy = await refusalByPolicy(ctx, requestId)
  const permitted = await inUnitOfWork(ctx, bySystem(ctx, deployer), async (unit) => {
    const at = await lockDeployment(unit.tx, requestId)
    if (at === null) return new Problem('not_found', 'This is no request for a deployment')
    const { request, external } = at
    if (!unit.seals.holds('request', request)) throw tamperedProblem('request')
    if (!unit.seals.holds('external_request', external)) throw tamperedProblem('external_request')
    const wasTaken = external.consumed_at !== null
    const isOpen = request.state === 'approved' && !wasTaken
    if (isOpen && (await isOutdated(ctx, unit.tx, policy))) return 'judge_again'
    const permit = wasTaken
      ? await readConsumed(ctx, unit, at)
      : (policy?.refusal ?? (await consumeLocked(ctx, unit, at, request.digest)))
    const subject = { requestId, digest: request.digest, policyDigest: request.policy_digest }
    if (permit instanceof Problem) {
      const detail = { attempt: 'deployment', code: permit.code }
      await unit.audit({ type: 'permit.refused', ...subject, detail })
      return permit
    }
    const { permitId, expiresAt: until } = permit
    if (wasTaken) return { permitId, until, request }
    await unit.tx
      .updateTable('external_request')
      .set({ consumed_by: external.api_key_id, consumed_at: sql<Date>`clock_timestamp()` })
      .where('request_id', '=', requestId)
      .execute()
    await unit.audit(
      { type: 'permit.consumed', ...subject, detail: { permitId } },
      { type: 'execution.started', ...subject, detail: { by: 'deployment', permitId } },
    )
    await unit.event('request.changed', { requestId })
    return { permitId, until, request }
  })
  if (permitted === 'judge_again') return consumeDeploymentPermit(ctx, requestId)
  if (permitted instanceof Problem) return permitted
  const first = await ctx.ledger.first({ kind: 'permit', id: permitted.permitId }, requestId)
  return first === requestId
    ? permitted
    : new Problem('already_consumed', 'The ledger says that this permit was taken before')
}
