import { aboutRequest } from '../ending/end-request.ts'
import { invalid } from '../../core/problems/invalid.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { refuseErased } from '../words/erased-requests.ts'
import { lockRequest } from '../../core/locks.ts'
import { inUnitOfWork } from '../../core/unit-of-work.ts'
import { findRequest } from '../people/find-request.ts'
import { viewerOf } from '../people/viewer.ts'
import { byReader } from '../../core/authority.ts'

/**
 * Records that a page shows its reader a value that it masked (security.md 20): the kind of secret
 * and its number of characters, never the value. Rejects with `not_found`, also after the contents
 * were erased, and with `invalid_request` for an unknown revision.
 */
export async function revealSecret(
  ctx: ServiceContext,
  caller: Caller,
  input: {
    readonly request: string
    readonly revision: number
    readonly kind: string
    readonly characters: number
  },
): Promise<void> {
  const { revision, kind, characters } = input
  const location = await findRequest(ctx.db, await viewerOf(ctx, caller), input.request)
  await inUnitOfWork(ctx, byReader(caller), async (unit) => {
    const request = await lockRequest(unit.tx, location.id)
    await refuseErased(unit.tx, request.id)
    if (revision > request.revision) {
      throw invalid('revision', `must be at most ${request.revision}`)
    }
    await unit.audit({
      type: 'content.revealed',
      ...aboutRequest(request),
      detail: { revision, secret: { kind, characters } },
    })
  })
}
