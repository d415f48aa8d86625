import { isObject } from '../json/is-object.ts'
import type { HookEventName } from './hook-events.ts'

/**
 * A tool call of an agent, before or after the tool runs. The names are those of Claude Code; what
 * other agents hand their hooks is read into them (agents.ts).
 */
export interface HookEvent {
  readonly hook_event_name: HookEventName
  readonly session_id: string
  readonly tool_name: string
  readonly tool_input: Readonly<Record<string, unknown>>
  /** absent where the agent does not number its calls */
  readonly tool_use_id?: string
  readonly cwd?: string
}

/**
 * How a hook answers: allow, or deny with a sentence that the model reads. `none`: the call is
 * harmless, and only the agent's own settings speak of it.
 */
export type HookDecision =
  | { readonly decision: 'none' }
  | { readonly decision: 'allow'; readonly reason: string }
  | {
      readonly decision: 'deny'
      readonly reason: string
      /** the session ends and can be continued; an agent that cannot do so is denied the call */
      readonly defers?: true
    }

const maxNameCharacters = 200

/** What an agent handed its hook is no event. The message is a sentence for the person. */
export class HookInputError extends Error {
  override readonly name = 'HookInputError'
}

/** JSON that an agent hands a hook. Throws an error with a sentence when it is not an object. */
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

/** Member `name` as an object. Throws when it is something else. */
export function objectOf(from: Readonly<Record<string, unknown>>, name: string) {
  const value = from[name]
  if (!isObject(value)) throw new HookInputError(`${notAnEvent}: ${name} is not an object`)
  return value
}

/** Member `name` as a name of bounded length. Throws when it is something else. */
export function nameOf(from: Readonly<Record<string, unknown>>, name: string): string {
  const value = optionalName(from, name)
  if (value === undefined) throw new HookInputError(`${notAnEvent}: ${name} is missing`)
  return value
}

/** The same; `undefined` where there is none. */
export function optionalName(
  from: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const value = from[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '' || value.length > maxNameCharacters) {
    throw new HookInputError(
      `${notAnEvent}: ${name} is not a text of 1 to ${maxNameCharacters} characters`,
    )
  }
  return value
}

const notAnEvent = 'The input of the hook is not a hook event'
