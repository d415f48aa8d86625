import type { ApiKeyScope } from '#domain/api-key-scope.ts'
import { sql, type RawBuilder } from 'kysely'
import type { ServiceContext } from '../../core/context.ts'
import { checkSeals } from '../check-seals.ts'
import { isStillAdmitted } from '../is-admitted.ts'
import type { SignIn, SignInCache } from '../sign-in-cache.ts'
import { hashToken } from '../token.ts'

/** The identity of a valid key. */
export interface KeyIdentity {
  readonly id: string
  /** of the secret that the caller sent */
  readonly secretHash: string
  readonly name: string
  readonly ownerId: string
  /** who proposed it to its owner; null: nobody */
  readonly proposedBy: string | null
  readonly scopes: ReadonlySet<ApiKeyScope>
}

const keyForm = /^cs_([0-9a-f]{16})_([\w-]{43})$/

/** Whether a text has the form of a key. */
export function isApiKey(text: string): boolean {
  return keyForm.test(text)
}

/** The id in `cs_<id>_<secret>` and the hash of its secret; `null`: it has not this form. */
export function parseApiKey(key: string): KeySecret | null {
  const [, id, secret] = keyForm.exec(key) ?? []
  return id === undefined || secret === undefined ? null : { id, secretHash: hashToken(secret) }
}

/** `last_used_at` is written at most this often. */
const usedEveryMs = 60_000

/**
 * The identity behind `cs_<id>_<secret>`, or null: malformed, unknown, revoked, expired, or its
 * owner is disabled or no longer a person of the project. Without a `cache` it reads the database.
 */
export async function readApiKey(
  ctx: ServiceContext,
  key: string,
  cache: SignInCache | null,
): Promise<KeyIdentity | null> {
  const secret = parseApiKey(key)
  return secret === null ? null : readKey(ctx, secret, { cache, isOwnerAdmitted: false })
}

/** The identity of a valid key by its id and the hash of its secret; null: there is none. */
export async function readKey(
  ctx: ServiceContext,
  { id, secretHash }: KeySecret,
  /** `isOwnerAdmitted`: the caller has just judged that, so it is not judged again */
  { cache, isOwnerAdmitted }: { cache: SignInCache | null; isOwnerAdmitted: boolean },
): Promise<KeyIdentity | null> {
  const load = () => lookUp(ctx, { id, secretHash }, isOwnerAdmitted)
  const row =
    cache === null
      ? (await load())?.found
      : await cache.read(
          ctx,
          `key ${id} ${secretHash}`,
          load,
          (row) => !row.is_long_unused,
          'judged by the look-up',
        )
  if (row == null) return null
  if (row.is_long_unused) {
    await ctx.db
      .updateTable('api_key')
      .set({ last_used_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
  }
  return {
    id: row.id,
    secretHash,
    name: row.name,
    ownerId: row.owner_id,
    proposedBy: row.proposed_by,
    scopes: new Set(row.scopes as ApiKeyScope[]),
  }
}

/** The row of a valid key with its owner, whose seals hold. */
type KeyRow = NonNullable<Awaited<ReturnType<typeof readRow>>>

async function lookUp(
  ctx: ServiceContext,
  key: KeySecret,
  isOwnerAdmitted: boolean,
): Promise<SignIn<KeyRow> | null> {
  const row = await readRow(ctx, key)
  if (row === undefined || !(await checkSeals(ctx, 'api_key', row, row.owner_id))) return null
  const owner = { id: row.owner_id, email: row.email }
  if (!isOwnerAdmitted && !(await isStillAdmitted(ctx, owner))) return null
  const restsOnSecret = { what: 'key_secret', id: key.secretHash } as const
  // A rotation revoked this secret: somebody restored the row by SQL.
  if (ctx.seals.revocations.has(restsOnSecret)) return null
  const { id, owner_id: personId, lives_ms: livesMs } = row
  const restsOn = [
    { what: 'api_key', id },
    { what: 'person', id: personId },
    restsOnSecret,
  ] as const
  return { found: row, personId, restsOn, livesMs }
}

/** A parsed key: its id and the hash of its secret. */
interface KeySecret {
  readonly id: string
  readonly secretHash: string
}

function readRow(ctx: ServiceContext, { id, secretHash }: KeySecret) {
  return ctx.db
    .selectFrom('api_key')
    .innerJoin('person', 'person.id', 'api_key.owner_id')
    .selectAll('api_key')
    .select(['person.email', 'person.disabled_at'])
    .select(['person.other_ids', 'person.seal as person_seal'])
    .select(
      sql<boolean>`coalesce(api_key.last_used_at < clock_timestamp() - ${usedEveryMs} * interval '1 millisecond', true)`.as(
        'is_long_unused',
      ),
    )
    .select(
      sql<number | null>`(1000 * extract(epoch from least(api_key.expires_at,
        case when api_key.secret_hash <> ${secretHash} then api_key.previous_until end)
        - clock_timestamp()))::float8`.as('lives_ms'),
    )
    .where('api_key.id', '=', id)
    .where(hasSecret(secretHash))
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Whether a key's secret that was valid is still valid: the key neither revoked nor expired, the
 * secret not replaced, the owner not disabled and still a person of the project. It does not count
 * as a use of the key.
 */
export async function isSecretLive(
  ctx: ServiceContext,
  key: KeySecret,
  cache: SignInCache | null,
): Promise<boolean> {
  const load = () => lookUp(ctx, key, false)
  if (cache === null) return (await load()) !== null
  const name = `key ${key.id} ${key.secretHash}`
  return (await cache.read(ctx, name, load, () => true, 'judged by the look-up')) !== null
}

/**
 * Condition on rows of `api_key` that accept this secret now: neither revoked nor expired, and the
 * secret is the current one, or the previous one within its overlap. It compares hashes, so that
 * the time of the comparison reveals nothing about a secret.
 */
function hasSecret(secretHash: string): RawBuilder<boolean> {
  return sql<boolean>`(
    api_key.revoked_at is null
    and coalesce(api_key.expires_at > clock_timestamp(), true)
    and (api_key.secret_hash = ${secretHash}
      or (api_key.previous_hash = ${secretHash} and api_key.previous_until > clock_timestamp())))`
}
