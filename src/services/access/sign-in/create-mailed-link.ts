import { sql } from 'kysely'
import type { Channel } from '#domain/actor.ts'
import type { Db } from '#store/database.ts'
import type { ServiceContext } from '../../core/context.ts'
import { inUnitOfWork, type UnitOfWork } from '../../core/unit-of-work.ts'
import { findActivePerson, lockPerson } from '../find-active-person.ts'
import { insertSignInLink } from './sign-in-link.ts'
import { hashToken } from '../token.ts'
import { byVisitor } from '../../core/authority.ts'

/** How many links one person is mailed within the lifetime of one, from all callers together. */
const maxAtOnce = 3

/** A link to send to its person's own address. */
export interface MailedLink {
  readonly token: string
  readonly personId: string
  readonly to: string
}

/**
 * Makes a link for an address, to be sent there and nowhere else; links mailed before stop working.
 * Returns `null`, which the caller must not reveal, when the project names nobody with the address
 * or several links were sent just now. Audited.
 */
export async function createMailedLink(
  ctx: ServiceContext,
  input: { readonly email: string; readonly channel: Channel },
): Promise<MailedLink | null> {
  const person = await findActivePerson(ctx, input.email)
  return inUnitOfWork(ctx, byVisitor('sign-in', input.channel), async (unit) => {
    const refuse = async (why: string): Promise<null> => {
      const detail = { method: 'link', why }
      await unit.audit({ type: 'session.refused', detail })
      return null
    }
    if (person === null) return refuse('unknown_person')
    if (!(await hasRoom(unit, person.id))) return refuse('too_many')
    await unit.tx
      .updateTable('sign_in_link')
      .set({ expires_at: sql<Date>`clock_timestamp()` })
      .where('person_id', '=', person.id)
      .where('mailed', '=', true)
      .where('used_at', 'is', null)
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .execute()
    const link = await insertSignInLink(unit, {
      personId: person.id,
      mailed: true,
      proofHash: null,
    })
    await unit.audit({
      type: 'credential.changed',
      detail: { personId: person.id, change: 'link_mailed' },
    })
    return { ...link, personId: person.id, to: person.email }
  })
}

/** Whether a link still signs in: not used, expired or replaced by a later one. */
export async function isLinkOpen(db: Db, token: string): Promise<boolean> {
  const open = await db
    .selectFrom('sign_in_link')
    .select('person_id')
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  return open !== undefined
}

/** The lock makes concurrent callers count one after the other. */
async function hasRoom(unit: UnitOfWork, personId: string): Promise<boolean> {
  await lockPerson(unit, personId)
  const { count } = await unit.tx
    .selectFrom('sign_in_link')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('person_id', '=', personId)
    .where('mailed', '=', true)
    .where('created_at', '>', sql<Date>`clock_timestamp() - interval '15 minutes'`)
    .executeTakeFirstOrThrow()
  return Number(count) < maxAtOnce
}
