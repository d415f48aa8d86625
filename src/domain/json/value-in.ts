import { isObject } from './is-object.ts'

/**
 * The value of an object's own member; `undefined`: it has none of this name. For names that a
 * model, a file or a caller controls, which may be `constructor` or `__proto__`.
 */
export function valueIn<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The text of an own member; `null`: it is missing or no text. */
export function textIn(object: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = valueIn(object, name)
  return typeof value === 'string' ? value : null
}

/** The member of a value that may be no object; `undefined`: there is none. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? valueIn(value, name) : undefined
}
