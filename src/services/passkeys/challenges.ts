import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '#store/database.ts'
import type { PasskeyChallengeTable } from '#store/tables/people.ts'

/** How long a person may take to answer with their passkey. */
export const challengeTtlMs = 5 * 60_000

type Challenge = Omit<Selectable<PasskeyChallengeTable>, 'expires_at'>

/**
 * Keeps a challenge for {@link challengeLastsMs}, and sweeps those that nobody answered in time.
 * Answers when it ends.
 */
export async function storeChallenge(db: Db | Tx, challenge: Challenge): Promise<Date> {
  await db
    .deleteFrom('passkey_challenge')
    .where('expires_at', '<', sql<Date>`clock_timestamp()`)
    .execute()
  const { expires_at: expiresAt } = await db
    .insertInto('passkey_challenge')
    .values({
      ...challenge,
      expires_at: sql<Date>`clock_timestamp() + ${challengeTtlMs} * interval '1 millisecond'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return expiresAt
}

/**
 * Consumes the challenge that an answer of an authenticator signs: of two answers, one counts.
 * `null`: it answers no pending challenge of this session.
 */
export async function takeChallenge(
  db: Db | Tx,
  expected: {
    readonly clientDataJson: string
    readonly purpose: Challenge['purpose']
    readonly sessionHash: string | null
  },
): Promise<Challenge | null> {
  const answered = challengeIn(expected.clientDataJson)
  if (answered === null) return null
  const challenge = await db
    .deleteFrom('passkey_challenge')
    .where('challenge', '=', answered)
    .where('purpose', '=', expected.purpose)
    .where('session_hash', 'is not distinct from', expected.sessionHash)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning(['challenge', 'purpose', 'session_hash', 'statement', 'salt'])
    .executeTakeFirst()
  return challenge ?? null
}

/** The challenge in an answer's client data; `null` when there is none. */
function challengeIn(clientDataJson: string): string | null {
  try {
    const clientData = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as {
      readonly challenge?: unknown
    } | null
    return typeof clientData?.challenge === 'string' ? clientData.challenge : null
  } catch {
    return null
  }
}
