import type { Caller, ServiceContext } from '../../core/context.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { assertVisible } from '../visible-run.ts'
import { byReader } from '../../core/authority.ts'

/**
 * Records that a page shows its reader a masked value of a run (security.md 20): the kind of secret
 * and its number of characters, never the value. Rejects with `not_found`.
 */
export async function revealRunSecret(
  ctx: ServiceContext,
  caller: Caller,
  input: { readonly runId: string; readonly kind: string; readonly characters: number },
): Promise<void> {
  const { runId, kind, characters } = input
  await assertVisible(ctx, caller, runId)
  await inUnitOfWork(ctx, byReader(caller), (unit) =>
    unit.audit({
      type: 'content.revealed',
      runId,
      detail: { secret: { kind, characters } },
    }),
  )
}
