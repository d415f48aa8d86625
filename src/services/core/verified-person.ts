import { sql, type RawBuilder } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'

/** The rows of a person and their memberships. */
export interface PersonRows {
  readonly person: JsonRow
  readonly memberships: readonly JsonRow[]
}

/** A person, as far as the seals of their rows hold. */
export interface VerifiedPerson {
  readonly id: string
  readonly name: string
  readonly email: string
  /** false also when the row has no valid seal */
  readonly enabled: boolean
  /** other rows of the same human */
  readonly otherIds: readonly string[]
  /** those with a valid seal */
  readonly teams: readonly string[]
  /** which of their rows has no valid seal; `null`: none */
  readonly forged: 'person' | 'membership' | null
}

/** The current `person` row as {@link PersonRows}, with the present memberships. */
export const personRows: RawBuilder<PersonRows> = sql<PersonRows>`jsonb_build_object(
  'person', to_jsonb(person),
  'memberships', (
    select coalesce(jsonb_agg(to_jsonb(m)), '[]') from membership m
    where m.person_id = person.id and (m.until is null or m.until > clock_timestamp())))`

/** A person by the rows whose seals hold (security.md 29). */
export function verifyPerson(seals: Seals, { person, memberships }: PersonRows): VerifiedPerson {
  const row = fromJsonRow<{
    id: string
    name: string
    email: string
    disabled_at: Date | null
    other_ids: string[] | null
  }>(person)
  const isDisabled = row.disabled_at !== null
  // A disabled person stays disabled even without a seal.
  const isKnown = isDisabled || seals.holds('person', fromJsonRow(person))
  const members = memberships.map((member) => withUntil(member))
  const vouched = members.filter((member) => seals.holds('membership', member))
  const forged = vouched.length === members.length ? null : 'membership'
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    enabled: !isDisabled && isKnown,
    otherIds: row.other_ids ?? [],
    teams: vouched.map(({ team }) => String(team)),
    forged: isKnown ? forged : 'person',
  }
}

/** Makes a date of `until`, which `fromJsonRow` does not recognise because it has no suffix. */
function withUntil(member: JsonRow): JsonRow {
  const { until } = member
  return typeof until === 'string' ? { ...member, until: new Date(until) } : member
}
