import { sql, type RawBuilder } from 'kysely'

/**
 * Whether the row of `person` is a member of one of the teams now, by the configuration or by a
 * group.
 */
export function memberOf(teams: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from team_member
    where team_member.person_id = person.id and team_member.team = any(${teams}::text[]))`
}
