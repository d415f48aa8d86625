import { Problem } from '#domain/problem.ts'
import { invalid } from '../requests/facts/decision-input.ts'
import { refuseEndedKey } from '../requests/people/refuse-ended-key.ts'
import { tamperedProblem } from '../core/tampered.ts'
import type { UnitOfWork } from '../core/unit-of-work.ts'
import type { Caller } from '../core/context.ts'
import { lockExternal, type ExternalRows } from './external-rows.ts'
import { byProgram, type Authority, type Program } from '../core/authority.ts'

/** A program's request under its lock. */
export interface OwnExternal extends ExternalRows {
  readonly authority: Authority<Program>
}

/**
 * Locks a program's request. Rejects with `invalid_request` when it is one of a run, and with
 * `forbidden` unless the program's key is of the same owner as the one that asked (security.md 22),
 * and with `unauthenticated` when it has ended since the call began.
 */
export async function lockOwn(
  { tx, seals }: Pick<UnitOfWork, 'tx' | 'seals'>,
  caller: Caller,
  requestId: string,
): Promise<OwnExternal> {
  const authority = byProgram(caller)
  await refuseEndedKey({ tx, seals }, authority.actor.id)
  const rows = await lockExternal(tx, requestId)
  if (rows === null) throw invalid('request', 'was not opened by a program')
  const { external } = rows
  if (!seals.holds('external_request', external)) throw tamperedProblem('external_request')
  if (external.owner_id !== authority.actor.ownerId) {
    throw new Problem('forbidden', 'Only keys of the owner whose program asked may do this')
  }
  return { authority, ...rows }
}
