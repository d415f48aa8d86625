import { sql } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import { idleSince, type SessionTimes } from '../../access/sessions/session-times.ts'
import { invalid } from '../../core/problems/invalid.ts'

/** The endpoint name of deliveries to people's own devices. */
export const pushEndpoint = 'push:devices'

/** The members of a browser's `PushSubscription.toJSON()` that are used. */
export interface PushTarget {
  readonly endpoint: string
  readonly keys: {
    /** public key of the browser, base64url of 65 bytes */
    readonly p256dh: string
    /** secret of the browser, base64url of 16 bytes */
    readonly auth: string
  }
}

/** A device that shows notifications to its person. */
export interface PushDevice {
  readonly id: string
  readonly endpoint: string
  /** of the session that it belongs to: `Firefox on Linux` */
  readonly device: string
  readonly sessionId: string
  readonly createdAt: Date
}

/**
 * The target of a delivery, while its session is live, its person is not disabled, and the seals of
 * all three rows hold (security.md 29). Otherwise a sentence that says why not.
 */
export async function findPushTarget(
  ctx: Pick<ServiceContext, 'db' | 'seals'>,
  times: SessionTimes,
  id: string,
): Promise<PushTarget | string> {
  const row = await ctx.db
    .selectFrom('push_subscription as device')
    .innerJoin('session', 'session.id', 'device.session_id')
    .innerJoin('person', 'person.id', 'device.person_id')
    .selectAll('device')
    .select([
      sql<boolean>`session.expires_at > clock_timestamp()
        and session.last_seen_at > ${idleSince(times)}`.as('is_live'),
    ])
    .select(['session.token_hash', 'session.csrf_token', 'session.proof_hash', 'session.channel'])
    .select(['session.expires_at', 'session.person_id as session_person'])
    .select(['session.seal as session_seal', 'person.email', 'person.disabled_at'])
    .select(['person.other_ids', 'person.seal as person_seal'])
    .where('device.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return 'the device is no longer subscribed'
  if (!row.is_live) return 'the session of the device has ended'
  if (row.disabled_at !== null) return 'the person is disabled'
  const { session_id, session_person, session_seal, person_id, person_seal } = row
  const session = { ...row, id: session_id, person_id: session_person, seal: session_seal }
  const person = { ...row, id: person_id, seal: person_seal }
  const holds =
    session_person === person_id &&
    ctx.seals.holds('push_subscription', row) &&
    ctx.seals.holds('session', session) &&
    ctx.seals.holds('person', person)
  if (!holds) return 'a row without a valid seal'
  return { endpoint: row.endpoint, keys: { p256dh: row.p256dh, auth: row.auth } }
}

/** Rejects keys with which no message can be encrypted: `invalid_request`. */
export function checkPushKeys({ keys }: PushTarget): void {
  const sizes = { p256dh: 65, auth: 16 }
  for (const name of ['p256dh', 'auth'] as const) {
    const bytes = Buffer.from(keys[name], 'base64url')
    if (bytes.length === sizes[name] && (name === 'auth' || bytes[0] === 4)) continue
    const size = `${sizes[name]} bytes in base64url`
    throw invalid(`keys.${name}`, `must be ${size}, as PushSubscription.toJSON() returns`)
  }
}
