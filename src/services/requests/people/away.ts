import { sql, type RawBuilder } from 'kysely'

/** A person with the end of their absence as JSON of a query has it; null: they are not away. */
export interface PersonRow {
  readonly id: string
  readonly name: string
  readonly awayUntil: string | null
}

/** The person with the end of their absence as a date. Pure. */
export function withAbsence({ id, name, awayUntil: until }: PersonRow): {
  readonly id: string
  readonly name: string
  readonly awayUntil: Date | null
} {
  return { id, name, awayUntil: until === null ? null : new Date(until) }
}

/** Whether the person of the row named `person` is away now. */
export function isAway(person: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from absence
    where absence.person_id = ${sql.ref(`${person}.id`)} and absence.until > clock_timestamp())`
}

/** Until when they are away; null: they are not away. */
export function awayUntil(person: string): RawBuilder<string | null> {
  return sql<string | null>`(select absence.until from absence
    where absence.person_id = ${sql.ref(`${person}.id`)} and absence.until > clock_timestamp())`
}
