import { sql, type RawBuilder } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import { fromJsonRow, type JsonRow } from '#store/json-row.ts'

/** A person with what they are a member of, as their rows say. */
export interface PersonRows {
  readonly person: JsonRow
  readonly memberships: readonly JsonRow[]
}

/** A person as the seals of their rows vouch for them. */
export interface VouchedPerson {
  readonly id: string
  readonly name: string
  /** false too when nobody vouches for the row */
  readonly enabled: boolean
  /** those that somebody vouches for */
  readonly teams: readonly string[]
  /** which of their rows nobody vouches for; `null`: none */
  readonly forged: 'person' | 'membership' | null
}

/** The rows of the row of `person` at hand, as {@link PersonRows}: memberships that hold now. */
export const personRows: RawBuilder<PersonRows> = sql<PersonRows>`jsonb_build_object(
  'person', to_jsonb(person),
  'memberships', (
    select coalesce(jsonb_agg(to_jsonb(m)), '[]') from membership m
    where m.person_id = person.id and (m.until is null or m.until > clock_timestamp())))`

/** Believes of a person what their rows' seals hold for (security.md 29). */
export function vouchFor(seals: Seals, { person, memberships }: PersonRows): VouchedPerson {
  const row = fromJsonRow<{ id: string; name: string; disabled_at: Date | null }>(person)
  const isDisabled = row.disabled_at !== null
  // Who is disabled is, whoever wrote it.
  const isKnown = isDisabled || seals.holds('person', fromJsonRow(person))
  const members = memberships.map((member) => withUntil(member))
  const vouched = members.filter((member) => seals.holds('membership', member))
  const forged = vouched.length === members.length ? null : 'membership'
  return {
    id: row.id,
    name: row.name,
    enabled: !isDisabled && isKnown,
    teams: vouched.map(({ team }) => String(team)),
    forged: isKnown ? forged : 'person',
  }
}

/** `until` is a time, though it is not named like one. */
function withUntil(member: JsonRow): JsonRow {
  const { until } = member
  return typeof until === 'string' ? { ...member, until: new Date(until) } : member
}
