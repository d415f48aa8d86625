import { sql, type Selectable } from 'kysely'
import type { Db, Tx } from '../../store/database.ts'
import type { PasskeyChallengeTable } from '../../store/tables/passkeys.ts'

/** How long somebody may take to touch their key. */
export const challengeLastsMs = 5 * 60_000

type Challenge = Omit<Selectable<PasskeyChallengeTable>, 'expires_at'>

/** Keeps a challenge for {@link challengeLastsMs}, and sweeps those that nobody answered in time. Answers when it ends. */
export async function keepChallenge(db: Db | Tx, challenge: Challenge): Promise<Date> {
  await db
    .deleteFrom('passkey_challenge')
    .where('expires_at', '<', sql<Date>`clock_timestamp()`)
    .execute()
  const { expires_at: expiresAt } = await db
    .insertInto('passkey_challenge')
    .values({
      ...challenge,
      expires_at: sql<Date>`clock_timestamp() + ${challengeLastsMs} * interval '1 millisecond'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return expiresAt
}

/** Takes a challenge that still waits, for good: of two who answer it, one does. `null`: it is none, or not this session's. */
export async function takeChallenge(
  db: Db | Tx,
  asked: {
    readonly challenge: string
    readonly purpose: Challenge['purpose']
    readonly sessionHash: string | null
  },
): Promise<Challenge | null> {
  const taken = await db
    .deleteFrom('passkey_challenge')
    .where('challenge', '=', asked.challenge)
    .where('purpose', '=', asked.purpose)
    .where('session_hash', 'is not distinct from', asked.sessionHash)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning(['challenge', 'purpose', 'session_hash', 'statement', 'salt'])
    .executeTakeFirst()
  return taken ?? null
}

/** The challenge that an answer says it signs; `null` of anything that is no such answer. */
export function challengeIn(clientDataJson: string): string | null {
  try {
    const said = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8')) as {
      readonly challenge?: unknown
    } | null
    return typeof said?.challenge === 'string' ? said.challenge : null
  } catch {
    return null
  }
}
