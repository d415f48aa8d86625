import { Problem } from '#domain/problem.ts'
import type { SigningSystemContext } from '../core/context.ts'
import { bySystem, type SystemCaller } from '../core/authority.ts'
import { inUnitOfWork } from '../core/unit-of-work.ts'
import { consumeLocked, readConsumed } from '../external/consume-permit.ts'
import { assertSealed } from '../external/external-rows.ts'
import { recordStart, subjectOf } from '../external/record-execution.ts'
import { isOutdated, refusalByPolicy } from '../external/refusal-by-policy.ts'
import { lockDeployment, type PermittedDeployment } from './deployment-request.ts'

/** Answers GitHub, in the API process. */
export const deployer: SystemCaller = {
  actor: { type: 'system', name: 'deployments' },
  channel: 'relay',
}

/**
 * Consumes the permit of an approved deployment before GitHub gets the answer. An approval that was
 * revoked or has expired, or that policy blocks by now, therefore releases nothing. A second call
 * for the same request returns the same result: after a process was killed, another one can answer
 * GitHub. A Problem says why the deployment cannot continue.
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
    assertSealed(unit, at)
    const wasTaken = external.consumed_at !== null
    const isOpen = request.state === 'approved' && !wasTaken
    if (isOpen && (await isOutdated(ctx, unit.tx, policy))) return 'judge_again'
    const permit = wasTaken
      ? await readConsumed(ctx, unit, at)
      : (policy?.refusal ?? (await consumeLocked(ctx, unit, at, request.digest)))
    if (permit instanceof Problem) {
      const detail = { attempt: 'deployment', code: permit.code }
      await unit.audit({ type: 'permit.refused', ...subjectOf(request), detail })
      return permit
    }
    const { permitId, expiresAt: until } = permit
    if (!wasTaken) {
      await recordStart(unit, request, { by: 'deployment', permitId, keyId: external.api_key_id })
    }
    return { permitId, until, request }
  })
  if (permitted === 'judge_again') return consumeDeploymentPermit(ctx, requestId)
  if (permitted instanceof Problem) return permitted
  const first = await ctx.ledger.first({ kind: 'permit', id: permitted.permitId }, requestId)
  return first === requestId
    ? permitted
    : new Problem('already_consumed', 'The ledger says that this permit was taken before')
}
