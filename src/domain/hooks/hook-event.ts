import { whyAmbiguous } from '../json/ambiguous-json.ts'
import { isObject } from '../json/is-object.ts'
import type { HookEventName } from './hook-events.ts'

/**
 * A tool call of an agent, before or after the tool runs. The names are those of Claude Code;
 * events of other agents are translated to them (agents.ts).
 */
export interface HookEvent {
  readonly hook_event_name: HookEventName
  readonly session_id: string
  readonly tool_name: string
  readonly tool_input: Readonly<Record<string, unknown>>
  /** absent: the agent has no ids of its calls */
  readonly tool_use_id?: string
  readonly cwd?: string
}

/**
 * The answer of a hook: allow, or deny with a sentence for the model. `none`: the call is harmless,
 * and the agent's own settings decide.
 */
export type HookDecision =
  | { readonly decision: 'none' }
  | {
      readonly decision: 'allow'
      readonly reason: string
      /** the arguments that a person changed; absent: those of the event */
      readonly input?: Readonly<Record<string, unknown>>
    }
  | {
      readonly decision: 'deny'
      readonly reason: string
      /** the session stops and can be continued; agents that cannot stop get a denial */
      readonly defers?: true
    }

const maxNameCharacters = 200
const notAnEvent = 'The input of the hook is not a hook event'

/** The input of a hook is not an event. The message is a sentence for the person. */
export class HookInputError extends Error {
  override readonly name = 'HookInputError'
}

/** Parses the JSON input of a hook. Throws an error with a sentence when it is not an object. */
export function parseInput(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new HookInputError('The input of the hook is not JSON', { cause })
  }
  if (!isObject(value)) throw new HookInputError('The input of the hook is not a JSON object')
  return value
}

/** Throws for the text of a call that two readers of JSON may read differently. */
export function checkUnambiguous(text: string): void {
  const why = whyAmbiguous(text)
  if (why !== null) throw new HookInputError(`${why}, so this call does not run`)
}

/** Member `name` as an object. Throws for another value, with the clause `problem`. */
export function objectOf(
  from: Readonly<Record<string, unknown>>,
  name: string,
  problem = notAnEvent,
) {
  const value = from[name]
  if (!isObject(value)) throw new HookInputError(`${problem}: ${name} is not an object`)
  return value
}

/** Member `name` as a name of bounded length. Throws when it is something else. */
export function nameOf(
  from: Readonly<Record<string, unknown>>,
  name: string,
  problem = notAnEvent,
): string {
  const value = optionalName(from, name, problem)
  if (value === undefined) throw new HookInputError(`${problem}: ${name} is missing`)
  return value
}

/** The same; `undefined` for a missing member. */
export function optionalName(
  from: Readonly<Record<string, unknown>>,
  name: string,
  problem = notAnEvent,
): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '' || value.length > maxNameCharacters) {
    throw new HookInputError(
      `${problem}: ${name} is not a text of 1 to ${maxNameCharacters} characters`,
    )
  }
  return value
}
