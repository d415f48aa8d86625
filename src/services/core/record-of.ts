import type { Json } from '#domain/json/json.ts'

/**
 * What a verb returns, from the schema of its answer: the same members, read-only, with each
 * instant as a `Date`. `answerOf` makes the answer from it, so that a missing member on either side
 * is a type error. Only members with an `InstantName` become dates: for the others (`from` and `to`
 * of Insights, the missed `times` of a schedule) the verb declares its own type.
 */
export type RecordOf<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly RecordOf<Item>[]
    : T extends object
      ? {
          readonly [Name in keyof T]: Name extends InstantName ? AsDate<T[Name]> : RecordOf<T[Name]>
        }
      : T

type InstantName = 'at' | 'since' | 'until' | `${string}At` | `${string}Until`
type AsDate<T> = T extends string ? Date : T

/** A record with `null` for each member that its answer can leave out. */
export type WithNulls<T> = {
  readonly [Name in keyof T]-?: Partial<Pick<T, Name>> extends Pick<T, Name>
    ? Exclude<T[Name], undefined> | null
    : T[Name]
}
