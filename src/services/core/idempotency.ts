import { sql, type RawBuilder } from 'kysely'
import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import { together } from '#store/connection/side-by-side.ts'
import { eachOf } from '#store/connection/each-of.ts'
import type { Db, Tx } from '#store/database.ts'
import type { Caller } from './context.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** A call with an idempotency key. `route` is the operation, `body` its input. */
export interface IdempotentCall {
  readonly caller: Caller
  /** absent: the call has no key, and nothing is remembered */
  readonly key: string | undefined
  readonly route: string
  readonly body: unknown
}

/**
 * Does `work` once for each key of a caller: a repeated call gets the original answer, which is
 * stored in the transaction of the effect. Concurrent calls with the same key wait for each other.
 * A `Problem` that `work` returns (its writes stay) or throws is not remembered. Call it before any
 * other lock is taken. Rejects with `idempotency_key_reused` when the key came with another route
 * or body.
 */
export async function onceForKey<T extends object>(
  tx: Tx,
  call: IdempotentCall,
  work: () => Promise<T>,
): Promise<T> {
  if (call.key === undefined) return work()
  assertKey(call.key)
  const keys = await lockKeys(tx, call.caller, [call.key])
  const answer = await keys.once(call, work)
  await keys.remember()
  return answer
}

function assertKey(key: string): void {
  if (key.length >= 1 && key.length <= 200) return
  throw new Problem('invalid_request', 'An Idempotency-Key has 1 to 200 characters', {
    field: 'Idempotency-Key',
  })
}

/** The locked keys of one transaction, with their stored answers. */
export interface LockedKeys {
  /** As {@link onceForKey}, for one of the keys; `remember` stores its answer. */
  once<T extends object>(call: IdempotentCall, work: () => Promise<T>): Promise<T>
  /** Stores the answers of all keys, in one query. */
  remember(): Promise<void>
  /** The same with the last statement of a unit. */
  rememberIn(unit: Pick<UnitOfWork, 'sendLast'>): void
}

/**
 * Locks the keys of calls that are made in one transaction, before any other lock is taken, and
 * reads their stored answers, in one query each.
 */
export async function lockKeys(
  tx: Tx,
  caller: Caller,
  keys: readonly string[],
): Promise<LockedKeys> {
  const principal = principalOf(caller)
  const earlier = keys.length === 0 ? [] : await lockAndRead(tx, principal, keys)
  const answers = new Map(earlier.map((row) => [row.key, row]))
  const newAnswers: object[] = []
  return {
    async once<T extends object>(call: IdempotentCall, work: () => Promise<T>) {
      const { key, route } = call
      if (key === undefined) return work()
      assertKey(key)
      const before = answers.get(key)
      if (before !== undefined) return answerTo<T>(call, before)
      const answer = await work()
      if (answer instanceof Problem) return answer
      newAnswers.push({ key, route, body_hash: hashOfBody(call), response: answer })
      return answer
    },
    async remember() {
      if (newAnswers.length > 0) await answersToStore(principal, newAnswers).execute(tx)
    },
    rememberIn(unit) {
      if (newAnswers.length > 0) unit.sendLast(answersToStore(principal, newAnswers))
    },
  }
}

function answersToStore(principal: string, answers: readonly object[]): RawBuilder<unknown> {
  return sql`
    insert into idempotency (principal, key, route, body_hash, status, response)
    select ${principal}, key, route, body_hash, 200, response
    from jsonb_to_recordset(${JSON.stringify(answers)}) as given(key text, route text, body_hash text,
      response jsonb)
  `
}

/**
 * Keys are locked in one order, whatever order the list has. A second statement reads the answers,
 * after every concurrent call has committed its own.
 */
async function lockAndRead(tx: Tx, principal: string, keys: readonly string[]) {
  const names = keys.map((key) => `${principal} ${key}`)
  const locking = sql`
    select pg_advisory_xact_lock(hashtextextended(name, 0))
    from ${eachOf(names)} as names(name) order by hashtextextended(name, 0)
  `.execute(tx)
  const reading = tx
    .selectFrom('idempotency')
    .select(['key', 'route', 'body_hash', 'response'])
    .where('principal', '=', principal)
    .where(sql<boolean>`key = any(${keys}::text[])`)
    .execute()
  const [, earlier] = await together([locking, reading])
  return earlier
}

/** Whether a caller's key already has its answer, so that preparations can be skipped. */
export async function isAnswered(
  db: Db | Tx,
  call: Pick<IdempotentCall, 'caller' | 'key'>,
): Promise<boolean> {
  return (await storedRow(db, call)) !== undefined
}

/** The stored answer to a call that came before; `null`: it did not. Rejects as the above does. */
export async function earlierAnswer<T extends object>(
  db: Db | Tx,
  call: IdempotentCall,
): Promise<T | null> {
  const earlier = await storedRow(db, call)
  return earlier === undefined ? null : answerTo<T>(call, earlier)
}

async function storedRow(db: Db | Tx, { caller, key }: Pick<IdempotentCall, 'caller' | 'key'>) {
  if (key === undefined) return undefined
  return db
    .selectFrom('idempotency')
    .select(['route', 'body_hash', 'response'])
    .where('principal', '=', principalOf(caller))
    .where('key', '=', key)
    .executeTakeFirst()
}

function answerTo<T extends object>(
  call: IdempotentCall,
  earlier: { readonly route: string; readonly body_hash: string; readonly response: JsonObject },
): T {
  if (earlier.route !== call.route || earlier.body_hash !== hashOfBody(call)) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used before for another call; use a new one',
    )
  }
  return storedAnswer<T>(earlier.response)
}

function hashOfBody({ body }: IdempotentCall): string {
  return hashJson({ body })
}

/** By the insert above, a route's stored answers have its type, with dates as text. */
function storedAnswer<T extends object>(response: JsonObject): T {
  return response as T
}

function principalOf(caller: Caller): string {
  const { actor } = caller
  return 'id' in actor ? `${actor.type}:${actor.id}` : actor.type
}
