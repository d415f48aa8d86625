import type { Call } from './call.ts'
import type { Client } from './client.ts'
import { MismatchError } from './errors.ts'
import type { Allowed } from './gate.ts'
import type { Asked } from './request.ts'

/** How the calls of a framework are asked about, for all of them alike. */
export type CallRouting = Pick<Call, 'onBehalfOf' | 'queue' | 'worker'>

/** The same for the calls of an agent, whose tools are all asked about but these. */
export interface AgentCallOptions extends CallRouting {
  /** tools that nobody is asked about; every other one is */
  readonly unasked?: readonly string[]
}

/** Why a call is not made: a sentence for the model. */
export interface Refusal {
  readonly refusal: string
}

/**
 * The `externalId` of a call that a model made: its id, within the conversation or run that makes
 * the id unique.
 */
export function externalIdOf(framework: string, scope: string | undefined, id: string): string {
  return [framework, scope, id].filter((part) => part !== undefined).join(':')
}

/** What a model reads about a call that an error prevented. */
export function notRun(error: unknown): string {
  return `Countersign: not run. ${error instanceof Error ? error.message : String(error)}`
}

/**
 * Asks about the calls for which a framework pauses, and resolves to those that wait, in order. A
 * call that is refused does not wait: `settle` says why. Rejects only while the service is away.
 */
export async function askAbout<Item>(
  client: Client,
  items: Iterable<Item>,
  callOf: (item: Item) => Call | Promise<Call>,
): Promise<{ item: Item; asked: Asked }[]> {
  const waiting: { item: Item; asked: Asked }[] = []
  for (const item of items) {
    const asked = await orRefusal(async () => client.ask(await callOf(item)))
    if ('state' in asked && asked.state === 'pending') waiting.push({ item, asked })
  }
  return waiting
}

/**
 * Takes the permit of a call that is decided. Resolves to what was allowed, to be made once and at
 * once, or to why nothing is: the words of the person who denied it, an input that differs although
 * the call allows no `edits`, or what `callOf` throws. Rejects only while the service is away.
 */
export function settle(
  client: Client,
  callOf: () => Call | Promise<Call>,
): Promise<Allowed<object> | Refusal> {
  return orRefusal(async () => {
    const call = await callOf()
    const allowed = await client.take<object>(call, { wait: 0 })
    if (!allowed.isChanged || call.edits !== 'off') return allowed
    await client.report(allowed.requestId, { state: 'failed', summary: 'Not run: other input' })
    const words = `Other arguments were approved: ${JSON.stringify(allowed.input)}`
    throw new MismatchError(allowed.requestId, words)
  })
}

async function orRefusal<Result>(act: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await act()
  } catch (error) {
    // By its code, not its class: a program can have loaded this package twice.
    if (error instanceof Error && 'code' in error && error.code === 'unavailable') throw error
    return { refusal: notRun(error) }
  }
}
