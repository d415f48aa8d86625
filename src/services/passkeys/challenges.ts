import { textIn } from '#domain/json/value-in.ts'
import { parseObject } from '#domain/json/parse-json.ts'
import { sql, type Selectable } from 'kysely'
import type { Seals } from '#domain/statements/row-seals.ts'
import type { Db, Tx } from '#store/database.ts'
import { removeExpired } from '#store/remove-expired.ts'
import type { PasskeyChallengeTable } from '#store/tables/people.ts'

/** How long a person may take to answer with their passkey. */
export const challengeTtlMs = 5 * 60_000

type Challenge = Omit<Selectable<PasskeyChallengeTable>, 'expires_at' | 'seal'>

/** The database with the challenges, and their seals. */
interface Challenges {
  readonly db: Db | Tx
  readonly seals: Seals
}

/** Stores a challenge for {@link challengeTtlMs}, deletes expired ones, and returns its end. */
export async function storeChallenge(
  { db, seals }: Challenges,
  challenge: Challenge,
): Promise<Date> {
  const expiresAt = await removeExpired(db, 'passkey_challenge', challengeTtlMs)
  const row = { ...challenge, expires_at: expiresAt }
  await db
    .insertInto('passkey_challenge')
    .values({ ...row, seal: seals.of('passkey_challenge', row) })
    .execute()
  return expiresAt
}

/**
 * Consumes the challenge that an authenticator's answer signs: of two answers, one counts. `null`:
 * there is no such pending challenge of this session. A row without a valid seal does not count:
 * with a forged one, the signature of a decision, which is in the trail, could sign its person in.
 */
export async function takeChallenge(
  { db, seals }: Challenges,
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
    .returningAll()
    .executeTakeFirst()
  return challenge !== undefined && seals.holds('passkey_challenge', challenge) ? challenge : null
}

/** The challenge in an answer's client data; `null` when there is none. */
function challengeIn(clientDataJson: string): string | null {
  const text = Buffer.from(clientDataJson, 'base64url').toString('utf8')
  return textIn(parseObject(text) ?? {}, 'challenge')
}
