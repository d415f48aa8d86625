import { sql, type RawBuilder } from 'kysely'

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
