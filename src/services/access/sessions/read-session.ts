import type { ActivePerson } from '../find-active-person.ts'
import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import { checkSeals } from '../check-seals.ts'
import { isStillAdmitted } from '../is-admitted.ts'
import type { SignIn, SignInCache, Use } from '../sign-in-cache.ts'
import { idleSince, type SessionTimes } from './session-times.ts'
import type { SignInMethod } from './start-session.ts'
import { hashToken, sameSecret } from '../token.ts'

export interface Session {
  readonly isProven: true
  readonly id: string
  readonly tokenHash: string
  readonly person: ActivePerson
  readonly csrfToken: string
  readonly method: SignInMethod
  readonly expiresAt: Date
}

/** A live session whose cookie came without its proof: it signs nobody in. */
export interface UnprovenSession {
  readonly isProven: false
  readonly sessionId: string
  readonly personId: string
  readonly why: 'no_proof' | 'program_in_browser'
}

/** `last_seen_at` is written at most this often, so that reading costs no write. */
const seenEveryMs = 60_000

/**
 * The live session of a cookie's token, or null: unknown, idle too long, over, or its person is
 * disabled or no longer a person of the project. A browser's session also needs its proof, and a
 * program's is refused in a browser (security.md 39).
 */
export async function readSession(
  ctx: ServiceContext,
  times: SessionTimes,
  input: {
    token: string
    /** what came with the cookie */
    proof: string | null
    /** a browser sent it */
    isBrowser: boolean
    /** counts as use against the idle end; a stream that only stays open does not */
    isUse: boolean
  },
  /** look-ups of the last seconds, and for what; null: it reads the database */
  cached: { readonly cache: SignInCache; readonly use: Use } | null,
): Promise<Session | UnprovenSession | null> {
  const tokenHash = hashToken(input.token)
  const load = () => lookUp(ctx, times, tokenHash)
  const row =
    cached === null
      ? (await load())?.found
      : await cached.cache.read(
          ctx,
          `session ${tokenHash}`,
          load,
          ({ is_long_unseen }) => !(input.isUse && is_long_unseen),
          cached.use,
        )
  if (row == null) return null
  const why = whyUnproven(row.proof_hash, input)
  if (why !== null) {
    return { isProven: false, sessionId: row.id, personId: row.person_id, why }
  }
  if (input.isUse && row.is_long_unseen) {
    await ctx.db
      .updateTable('session')
      .set({ last_seen_at: sql`clock_timestamp()` })
      .where('token_hash', '=', row.token_hash)
      .execute()
  }
  return {
    isProven: true,
    id: row.id,
    tokenHash: row.token_hash,
    person: { id: row.person_id, email: row.email, name: row.name },
    csrfToken: row.csrf_token,
    method: row.channel as SignInMethod,
    expiresAt: row.expires_at,
  }
}

/** The row of a live session with its person, whose seals hold. */
type SessionRow = NonNullable<Awaited<ReturnType<typeof readRow>>>

async function lookUp(
  ctx: ServiceContext,
  times: SessionTimes,
  tokenHash: string,
): Promise<SignIn<SessionRow> | null> {
  const row = await readRow(ctx, times, tokenHash)
  if (row === undefined || !(await checkSeals(ctx, 'session', row, row.person_id))) return null
  if (!(await isStillAdmitted(ctx, { id: row.person_id, email: row.email }))) return null
  const { id, person_id: personId, lives_ms: livesMs } = row
  const restsOn = [
    { what: 'session', id },
    { what: 'person', id: personId },
  ] as const
  return { found: row, personId, restsOn, livesMs }
}

function readRow(ctx: ServiceContext, times: SessionTimes, tokenHash: string) {
  return ctx.db
    .selectFrom('session')
    .innerJoin('person', 'person.id', 'session.person_id')
    .selectAll('session')
    .select(['person.email', 'person.name', 'person.disabled_at'])
    .select(['person.other_ids', 'person.seal as person_seal'])
    .select(
      sql<boolean>`session.last_seen_at < clock_timestamp() - ${seenEveryMs} * interval '1 millisecond'`.as(
        'is_long_unseen',
      ),
    )
    .select(
      sql<number>`(1000 * extract(epoch from least(session.expires_at,
        session.last_seen_at + ${times.idleMs} * interval '1 millisecond') - clock_timestamp()))::float8`.as(
        'lives_ms',
      ),
    )
    .where('session.token_hash', '=', tokenHash)
    .where('person.disabled_at', 'is', null)
    .where('session.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('session.last_seen_at', '>', idleSince(times))
    .executeTakeFirst()
}

function whyUnproven(
  proofHash: string | null,
  { proof, isBrowser }: { readonly proof: string | null; readonly isBrowser: boolean },
): UnprovenSession['why'] | null {
  if (proofHash === null) return isBrowser ? 'program_in_browser' : null
  return proof !== null && sameSecret(hashToken(proof), proofHash) ? null : 'no_proof'
}
