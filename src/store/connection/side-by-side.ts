import { errorCode } from '#domain/error-code.ts'
import {
  DummyDriver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
  type Dialect,
} from 'kysely'
import type { Database } from '../tables/schema.ts'

/** It opens no connection: queries go through the executor. */
const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/**
 * The same connection or transaction, on which `together` sends queries at once instead of waiting
 * for each answer. Postgres runs them in the order of their calls. If one fails in a transaction,
 * those after it fail too.
 */
export async function sideBySide(alone: Kysely<Database>): Promise<Transaction<Database>> {
  const executor = alone.getExecutor()
  const connection = await executor.provideConnection(async (one) => one)
  return new Transaction<Database>({
    config: { dialect },
    driver: dialect.createDriver(),
    dialect,
    executor: executor.withConnectionProvider({ provideConnection: (use) => use(connection) }),
  })
}

/**
 * Runs `work` on one connection without a transaction. `together` sends its queries at once here
 * too, and each query sees what was committed before it.
 */
export async function onOneConnection<T>(
  db: Kysely<Database>,
  work: (on: Transaction<Database>) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (alone) => work(await sideBySide(alone)))
}

/**
 * The results of several queries of one transaction. Rejects with the first failure that is not the
 * consequence of another one, but only after all have ended: a query sent after the rollback would
 * run outside of the transaction.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  queries: T,
): Promise<{ -readonly [Place in keyof T]: Awaited<T[Place]> }> {
  try {
    return await Promise.all(queries)
  } catch (error) {
    const results = await Promise.allSettled(queries)
    if (!isConsequence(error)) throw error
    const reasons = results.flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    )
    throw reasons.find((reason) => !isConsequence(reason)) ?? error
  }
}

/** `in_failed_sql_transaction`: the statement failed because one before it had failed. */
function isConsequence(error: unknown): boolean {
  return errorCode(error) === '25P02'
}
