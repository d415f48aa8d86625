import type { Call } from './call.ts'
import type { Client } from './client.ts'
import { messageOf, otherArguments } from './errors.ts'
import type { AllowedCall } from './gate.ts'
import type { RequestSummary } from './request.ts'
import { asObject } from './transport.ts'

/** Options of `ask` that apply to all calls of a framework. */
export type CallRouting = Pick<Call, 'onBehalfOf' | 'queue' | 'worker'>

/** Options for the calls of an agent. */
export interface AgentCallOptions extends CallRouting {
  /** names of tools that need no approval; all others do */
  readonly unasked?: readonly string[]
}

/** The reason why a call is not made, as a sentence for the model. */
export interface Refusal {
  readonly refusal: string
}

/**
 * The `externalId` of a model's call. `scope` names the conversation or run, for frameworks whose
 * call ids are unique only within one.
 */
export function externalIdOf(framework: string, scope: string | undefined, id: string): string {
  return [framework, scope, id].filter((part) => part !== undefined).join(':')
}

/** The sentence for the model about a call that an error prevented. */
export function notRun(error: unknown): string {
  return `Countersign: not run. ${messageOf(error)}`
}

/**
 * Opens a request for each call for which a framework pauses, and resolves to those that are
 * pending, in order. A refused call is not among them; `settle` returns its refusal. Rejects only
 * if the service is unreachable.
 */
export async function askAbout<Item>(
  client: Client,
  items: Iterable<Item>,
  callOf: (item: Item) => Call | Promise<Call>,
): Promise<{ item: Item; request: RequestSummary }[]> {
  const waiting: { item: Item; request: RequestSummary }[] = []
  for (const item of items) {
    const request = await orRefusal(async () => client.ask(await callOf(item)))
    if ('state' in request && request.state === 'pending') waiting.push({ item, request })
  }
  return waiting
}

/**
 * Takes the permit of a call that is decided. Resolves to the approved call, which the caller makes
 * once, directly afterwards, or to a refusal: a denial with its reason, an input that was changed
 * although `edits` is `off`, or an error of `callOf`. Rejects only if the service is unreachable.
 */
export function settle(
  client: Client,
  callOf: () => Call | Promise<Call>,
): Promise<AllowedCall<object> | Refusal> {
  return orRefusal(async () => {
    const call = await callOf()
    const allowed = await client.take<object>(call, { wait: 0 })
    if (!allowed.isChanged || call.edits !== 'off') return allowed
    await client.report(allowed.requestId, { state: 'failed', summary: 'Not run: other input' })
    throw otherArguments(allowed.requestId, allowed.input)
  })
}

async function orRefusal<Result>(act: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await act()
  } catch (error) {
    // Compares the code and not the class, because a program can load this package twice.
    if (asObject(error)['code'] === 'unavailable') throw error
    return { refusal: notRun(error) }
  }
}
