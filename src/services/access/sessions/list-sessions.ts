import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Caller, ServiceContext } from '../../core/context.ts'
import { keysBefore, pageFrom, pageSize, type Page, type PageInput } from '../../core/pages.ts'
import { personBehind } from '../../requests/people/viewer.ts'
import { idleSince, type SessionTimes } from './session-times.ts'
import type { SignInMethod } from './start-session.ts'
import { byRight } from '../../core/authority.ts'

/** A live session as its person may see it; nothing in it can be used to sign in. */
export interface SessionRecord {
  readonly id: string
  readonly method: SignInMethod
  /** `Firefox on Linux`, as its client claimed */
  readonly device: string
  /** a browser has it and sends its proof; `false`: a program has it */
  readonly isProven: boolean
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
}

/**
 * Lists the live sessions of the caller, newest first; with `email` those of another person, which
 * takes the right `managePeople`. Rejects with `forbidden`, or `not_found` for an unknown address.
 */
export async function listSessions(
  ctx: ServiceContext,
  caller: Caller,
  input: PageInput & { readonly times: SessionTimes; readonly email?: string },
): Promise<Page<SessionRecord>> {
  const personId = await whose(ctx, caller, input.email)
  const [at, id] = keysBefore(input, 'sessions', ['instant', 'text']) ?? []
  let query = ctx.db
    .selectFrom('session')
    .select(['id', 'channel', 'device', 'proof_hash'])
    .select(['created_at', 'last_seen_at', 'expires_at'])
    .select(sql<string>`created_at::text`.as('key_at'))
    .where('person_id', '=', personId)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('last_seen_at', '>', idleSince(input.times))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pageSize(input) + 1)
  if (at !== undefined) {
    query = query.where(sql<boolean>`(created_at, id) < (${at}::timestamptz, ${id}::uuid)`)
  }
  const page = pageFrom(await query.execute(), input, 'sessions', (row) => [row.key_at, row.id])
  const items = page.items.map((row) => ({
    id: row.id,
    method: row.channel as SignInMethod,
    device: row.device,
    isProven: row.proof_hash !== null,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }))
  return { items, nextCursor: page.nextCursor }
}

/** The caller's id, or the person's at an address for those who may disable people. */
async function whose(
  ctx: ServiceContext,
  caller: Caller,
  email: string | undefined,
): Promise<string> {
  if (email === undefined) return personBehind(caller)
  const person = await ctx.db
    .selectFrom('person')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  if (person?.id === personBehind(caller)) return person.id
  await byRight(ctx, caller, 'managePeople')
  if (person === undefined) throw new Problem('not_found', 'No person has this address')
  return person.id
}
