import { sql } from 'kysely'
import { endGrants } from '../grants/end-grants.ts'
import { sealedTables, type SealedTable } from '#domain/statements/sealed-tables.ts'
import { advisoryLocks } from '#store/connection/advisory-locks.ts'
import { lockActivationAlone } from '../core/locks.ts'
import { inUnitOfWork, type UnitOfWork } from '../core/unit-of-work.ts'
import { resealRows } from '../installation/adopt-rows.ts'
import { resignStatements } from './resign-statements.ts'
import type { SigningSystemContext } from '../core/context.ts'
import { bySystem, service } from '../core/authority.ts'

/**
 * Records that the installation signs with another key than before (`key.created`), once. The very
 * first key is recorded without an event. Called at start and when the key file changed.
 */
export async function recordSigningKey(ctx: SigningSystemContext): Promise<void> {
  const { keyId } = ctx.signer
  await inUnitOfWork(ctx, bySystem(ctx, service), async (unit) => {
    await lockKeys(unit)
    const keys = await unit.tx
      .selectFrom('installation_key')
      .select('key_id')
      .where('kind', '=', 'signing')
      .orderBy('since', 'desc')
      .execute()
    if (keys.some((key) => key.key_id === keyId)) return
    await unit.tx
      .insertInto('installation_key')
      .values({ kind: 'signing', key_id: keyId })
      .execute()
    const previous = keys[0]?.key_id ?? (await previousKeyOf(unit, keyId))
    if (previous === null) return
    await unit.audit({
      type: 'key.created',
      detail: { kind: 'signing', keyId, previous },
    })
  })
}

/**
 * Retires keys that may have leaked (security.md 13): statements that must stay valid are signed
 * with the present key, and live grants of the old keys end. Their live permits are void as soon as
 * the keys are, and the executor asks again. Recorded as `key.revoked`; repeating it changes
 * nothing.
 */
export async function retireSigningKeys(
  ctx: SigningSystemContext,
  retiring: readonly string[],
): Promise<void> {
  const { verifier, signer } = ctx
  const inUnit = <T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    inUnitOfWork(ctx, bySystem(ctx, service), work)
  const reseal = { verifier, revocations: ctx.seals.revocations, retiring }
  // Hundreds of thousands of rows take a minute. Each part has a unit of its own, so that nobody
  // waits for more than that part, nor for the lock of activations or of people meanwhile.
  const manyRows = await resealRows(inUnit, { ...reseal, tables: ['decision', 'external_request'] })
  // A unit of its own: it locks runs and the last one locks people, and a decision and a
  // cancellation lock those two in opposite orders.
  const signedAnew = await inUnit(async ({ tx }) => {
    // A version that is being activated, a run that is being started or a request that a program
    // opens may have the signature of an old key already: this waits for them.
    await lockActivationAlone(tx)
    return resignStatements(tx, { verifier, signer, retiring })
  })
  await inUnit(async (unit) => {
    await lockKeys(unit)
    await lockActivationAlone(unit.tx)
    // Who decides has locked their own row: this waits for decisions that are not committed yet.
    await sql`select from person order by id for no key update`.execute(unit.tx)
    const tables = Object.keys(sealedTables) as SealedTable[]
    const rows = manyRows + (await resealRows((work) => work(unit), { ...reseal, tables }))
    const grants = await endGrants(unit, { keyIds: retiring })
    for (const keyId of retiring) {
      const retired = await unit.tx
        .insertInto('installation_key')
        .values({ kind: 'signing', key_id: keyId, retired_at: sql<Date>`clock_timestamp()` })
        .onConflict((conflict) =>
          conflict
            .columns(['kind', 'key_id'])
            .doUpdateSet({ retired_at: sql<Date>`clock_timestamp()` })
            .where('installation_key.retired_at', 'is', null),
        )
        .returning('key_id')
        .executeTakeFirst()
      if (retired === undefined) continue
      const { permits } = await unit.tx
        .selectFrom('permit')
        .select((eb) => eb.fn.countAll<string>().as('permits'))
        .where('key_id', '=', keyId)
        .where('state', '=', 'live')
        .executeTakeFirstOrThrow()
      await unit.audit({
        type: 'key.revoked',
        detail: {
          kind: 'signing',
          keyId,
          why: 'compromised',
          permits: Number(permits),
          grants,
          signedAnew: { ...signedAnew, rows },
        },
      })
    }
  })
}

async function lockKeys(unit: UnitOfWork): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.keys})`.execute(unit.tx)
}

/** The key of the newest activation, if it is another one, for older installations. */
async function previousKeyOf(unit: UnitOfWork, keyId: string): Promise<string | null> {
  const newest = await unit.tx
    .selectFrom('policy_activation')
    .select('key_id')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest === undefined || newest.key_id === keyId ? null : newest.key_id
}
