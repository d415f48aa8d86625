import { sql } from 'kysely'
import type { PersonDetail } from '#api/schemas/access/auth.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../core/context.ts'
import { hasRight } from '../core/rights-of.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../core/pages.ts'
import type { RecordOf } from '../core/record-of.ts'

export type PersonRecord = RecordOf<PersonDetail>

/** The ways in which a person can sign in or act now. */
export type PersonAccess = NonNullable<PersonRecord['access']>

/**
 * Lists everybody whom the project names or once named, by address; with an `id` only that person.
 * People see each other; an API key sees nobody. With the right `managePeople` one also sees what
 * disabling a person would end.
 */
export async function listPeople(
  ctx: ServiceContext,
  caller: Caller,
  page: PageInput & { readonly id?: string },
): Promise<Page<PersonRecord>> {
  if (caller.actor.type !== 'person') throw new Problem('forbidden', 'Only people can list people')
  const manages = await hasRight(ctx, caller.actor, 'managePeople')
  const [after] = keysBefore(page, 'people', ['text']) ?? []
  let query = ctx.db
    .selectFrom('person')
    .select(['id', 'email', 'name', 'disabled_at as disabledAt'])
    .select(
      sql<
        string[]
      >`array(select team from team_member where person_id = person.id order by team)`.as('teams'),
    )
    .select(
      sql<Date | null>`(
        select until from absence where person_id = person.id and until > clock_timestamp()
      )`.as('awayUntil'),
    )
    .select((manages ? accessOfRow : sql<PersonAccess | null>`null::json`).as('access'))
    .orderBy('email')
    .limit(pageSize(page) + 1)
  if (page.id !== undefined) query = query.where('id', '=', page.id)
  if (after !== undefined) query = query.where('email', '>', after)
  const rows = await query.execute()
  return pageFrom(rows.map(withDates), page, 'people', ({ email }) => [email])
}

const accessOfRow = sql<PersonAccess | null>`(
  select json_build_object(
    'sessions', count(*), 'lastSeenAt', max(last_seen_at),
    'passkeys', (
      select count(*) from credential c where c.person_id = person.id and c.removed_at is null
    ),
    'keys', (
      select count(*) from api_key k where k.owner_id = person.id and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp())
    )
  )
  from session where session.person_id = person.id and session.expires_at > clock_timestamp()
)`

/** JSON of the database has its times as texts. */
function withDates<Row extends { readonly access: PersonAccess | null }>(row: Row): Row {
  const { access } = row
  if (access === null || access.lastSeenAt === null) return row
  return { ...row, access: { ...access, lastSeenAt: new Date(access.lastSeenAt) } }
}
