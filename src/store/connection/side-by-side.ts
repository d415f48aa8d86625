import {
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
  type Dialect,
} from 'kysely'
import type { Database } from '../tables/schema.ts'

/** Nothing is connected through it: the queries go where the executor sends them. */
const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/**
 * The same transaction, in which queries that are asked `together` are sent at once, in the order
 * in which they were asked, instead of each after the answer of the one before. Postgres works them
 * in that order all the same; after one that fails, those behind it fail too.
 */
export async function sideBySide(tx: Transaction<Database>): Promise<Transaction<Database>> {
  const executor = tx.getExecutor()
  const connection = await executor.provideConnection(async (one) => one)
  return new Transaction<Database>({
    config: { dialect },
    driver: dialect.createDriver(),
    dialect,
    executor: executor.withConnectionProvider({ provideConnection: (use) => use(connection) }),
  })
}

/**
 * The answers to several questions of one transaction. Rejects with the first failure, but only
 * when all have been answered: what is asked after its transaction was rolled back would be done
 * outside of it.
 */
export async function together<T extends readonly Promise<unknown>[] | []>(
  queries: T,
): Promise<{ -readonly [Place in keyof T]: Awaited<T[Place]> }> {
  try {
    return await Promise.all(queries)
  } catch (error) {
    await Promise.allSettled(queries)
    throw error
  }
}
