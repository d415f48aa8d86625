import type { HookedCall } from './call-of-event.ts'
import type { HookDecision } from './hook-event.ts'

/**
 * The answer that lets an agent make its call. `input`: the arguments as a person changed them;
 * `null`: those of the event.
 */
export function allowedCall(
  requestId: string,
  input: HookedCall['input'] | null,
): Extract<HookDecision, { decision: 'allow' }> {
  const reason = `Countersign allowed this (request ${requestId}).`
  return input === null
    ? { decision: 'allow', reason }
    : { decision: 'allow', reason: `${reason} Its arguments are changed as approved.`, input }
}

/** Why a call whose permit was taken before does not run: whether it ran then is not certain. */
export const takenReason =
  'an earlier try, or a second hook for this call, has taken its permit, so the call does not run here'

/** Why the second of two hooks for one call does not run it. */
export const secondHookReason =
  'another hook of this same call took its permit, so this one does not run it'

/** The report about a call that an agent's tool cannot make as a person changed it. */
export function unmakeableReport(agentTitle: string) {
  const summary = `Nothing ran: ${agentTitle} cannot make the call as it was changed`
  return { state: 'failed' as const, summary }
}

/** The same for the model. `input`: the arguments that were approved. */
export function unmakeableReason(input: HookedCall['input']): string {
  return `this call does not run: other arguments were approved, which this tool cannot take: ${JSON.stringify(input)}`
}
