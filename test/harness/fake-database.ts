import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
} from 'kysely'
import type { Db } from '#store/database.ts'

/** A database that takes each query and never answers it. `queries` counts them. */
export function hungDatabase(): { readonly db: Db; readonly queries: () => number } {
  return databaseOf(() => Promise.withResolvers<never>().promise)
}

/** A database whose first queries fail with these errors, one each. Later queries find no rows. */
export function failingDatabase(errors: readonly Error[]): ReturnType<typeof hungDatabase> {
  const left = [...errors]
  return databaseOf(async () => {
    const error = left.shift()
    if (error !== undefined) throw error
    return { rows: [] }
  })
}

function databaseOf(
  executeQuery: () => ReturnType<DatabaseConnection['executeQuery']>,
): ReturnType<typeof hungDatabase> {
  let count = 0
  const connection = {
    executeQuery: () => {
      count += 1
      return executeQuery()
    },
    async *streamQuery() {},
  } as DatabaseConnection
  class OneConnection extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return connection
    }
  }
  const db: Db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new OneConnection(),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { db, queries: () => count }
}
