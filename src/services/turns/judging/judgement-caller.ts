import type { Judgement } from '../../../domain/judgement.ts'
import type { Caller } from '../../context.ts'

/** A verdict is the policy's: the actor of what it opens, refuses or allows. */
export function judgementCaller(judgement: Pick<Judgement, 'policyDigest'>): Caller {
  return { actor: { type: 'policy', id: judgement.policyDigest }, channel: 'workflow' }
}
