import type { Json } from '#domain/json/json.ts'

/** The type of a record in JSON: instants are ISO strings, and no member is read-only. */
export type AnswerOf<T> = Json extends T
  ? T
  : T extends Date
    ? string
    : T extends readonly (infer Item)[]
      ? AnswerOf<Item>[]
      : T extends object
        ? { -readonly [Name in keyof T]: AnswerOf<T[Name]> }
        : T

/**
 * A copy of a record with its instants as ISO text. A view takes members off that the schema of its
 * answer does not have, and masks secrets.
 */
export function answerOf<T>(record: T): AnswerOf<T> {
  // The type names what `convert` makes of each kind of value.
  return convert(record) as AnswerOf<T>
}

/** Like `answerOf`, without the named members. */
export function answerWithout<T extends object, Name extends keyof T>(
  record: T,
  ...names: readonly Name[]
): AnswerOf<Omit<T, Name>> {
  const left = Object.entries(record).filter(([name]) => !names.some((other) => other === name))
  return answerOf(Object.fromEntries(left) as Omit<T, Name>)
}

/** The members that are not null, for a schema in which they are optional. */
export function withoutNulls<T extends object>(
  members: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const present = Object.entries(members).filter(([, value]) => value !== null)
  return Object.fromEntries(present) as { [Name in keyof T]?: NonNullable<T[Name]> }
}

function convert(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(convert)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, convert(part)]))
}
