import { sql } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { toJsonb, type Db, type Tx } from '#store/database.ts'
import type { Caller } from './context.ts'

/**
 * A call that names itself: `key` is the caller's own, `route` says what is done, `body` with what.
 */
export interface IdempotentCall {
  readonly caller: Caller
  /** absent: nothing is remembered */
  readonly key: string | undefined
  readonly route: string
  readonly body: unknown
}

/**
 * Does `work` once for each key of a caller: a repeated call gets the original answer, in the
 * transaction that holds the effect, so that both are there or neither. Calls with the same key
 * take turns. A `Problem` that `work` *returns* (what it wrote stays) or throws is not remembered.
 * Call it before any other lock is taken. Rejects with `idempotency_key_reused` when the key came
 * with another route or body.
 */
export async function onceForKey<T extends object>(
  tx: Tx,
  call: IdempotentCall,
  work: () => Promise<T | Problem>,
): Promise<T | Problem> {
  const { key } = call
  if (key === undefined) return work()
  if (key.length < 1 || key.length > 200) {
    throw new Problem('invalid_request', 'An Idempotency-Key has 1 to 200 characters', {
      field: 'Idempotency-Key',
    })
  }
  const principal = principalOf(call.caller)
  const bodyHash = hashJson({ body: call.body })
  await lockKeys(tx, call.caller, [key])
  const earlier = await tx
    .selectFrom('idempotency')
    .select(['route', 'body_hash', 'response'])
    .where('principal', '=', principal)
    .where('key', '=', key)
    .executeTakeFirst()
  if (earlier !== undefined) {
    if (earlier.route !== call.route || earlier.body_hash !== bodyHash) {
      throw new Problem(
        'idempotency_key_reused',
        'This Idempotency-Key was used before for something else; use a new one',
      )
    }
    return storedAnswer<T>(earlier.response)
  }
  const answer = await work()
  if (answer instanceof Problem) return answer
  await tx
    .insertInto('idempotency')
    .values({
      principal,
      key,
      route: call.route,
      body_hash: bodyHash,
      status: 200,
      response: toJsonb(answer),
    })
    .execute()
  return answer
}

/**
 * Locks the keys of calls that are made in one transaction, which is done before any other lock is
 * taken.
 */
export async function lockKeys(tx: Tx, caller: Caller, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const names = keys.map((key) => `${principalOf(caller)} ${key}`)
  await sql`
    select pg_advisory_xact_lock(hashtextextended(name, 0))
    from unnest(${names}::text[]) with ordinality as names(name, place) order by place
  `.execute(tx)
}

/**
 * Whether a caller's key has its answer already: what would only prepare the first call is then
 * left out.
 */
export async function isAnswered(
  db: Db | Tx,
  call: Pick<IdempotentCall, 'caller' | 'key'>,
): Promise<boolean> {
  if (call.key === undefined) return false
  const earlier = await db
    .selectFrom('idempotency')
    .select('route')
    .where('principal', '=', principalOf(call.caller))
    .where('key', '=', call.key)
    .executeTakeFirst()
  return earlier !== undefined
}

/** Guaranteed by the insert above: a route's stored answers all have its type, dates as text. */
function storedAnswer<T extends object>(response: JsonObject): T {
  return response as T
}

function principalOf(caller: Caller): string {
  const { actor } = caller
  return 'id' in actor ? `${actor.type}:${actor.id}` : actor.type
}
