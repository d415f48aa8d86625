import { Problem } from '#domain/problem.ts'
import { invalid } from '../core/problems/invalid.ts'
import { lockRequests } from '../core/locks.ts'
import { missingProblem } from '../core/problems/missing.ts'
import { tamperedProblem } from '../core/problems/tampered.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { Caller } from '../core/context.ts'
import { withExternal, type ExternalRows } from './external-rows.ts'
import { byProgram, type Authority, type ProgramActor } from '../core/authority.ts'
import { hasProposerBehind } from './proposer-behind.ts'

/** A program's request under its lock. */
export interface OwnExternal extends ExternalRows {
  readonly authority: Authority<ProgramActor>
}

/**
 * Locks a program's request. Rejects with `not_found` if its row no longer exists, and with
 * `invalid_request` if it is one of a run. A key may act on it if it has the same owner as the key
 * that asked (security.md 22), and if whoever proposed it is behind the request. Rejects with
 * `forbidden` for any other key.
 */
export async function lockOwn(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  caller: Caller,
  requestId: string,
): Promise<OwnExternal> {
  const authority = byProgram(caller)
  const [request] = await lockRequests(tx, [requestId])
  if (request === undefined) throw missingProblem('request', requestId)
  const rows = await withExternal(tx, request)
  if (rows === null) throw invalid('request', 'was not opened by a program')
  const { external } = rows
  if (!seals.holds('external_request', external)) throw tamperedProblem('external_request')
  if (external.owner_id !== authority.actor.ownerId) {
    throw new Problem('forbidden', 'Only keys of the owner whose program asked may do this')
  }
  if (!(await hasProposerBehind({ db: tx, seals }, request, authority.actor))) {
    const refusal =
      'Another key opened this request, and the person who proposed your key is not behind it'
    throw new Problem('forbidden', refusal)
  }
  return { authority, ...rows }
}
