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
  let count = 0
  const connection: DatabaseConnection = {
    executeQuery: () => {
      count += 1
      return Promise.withResolvers<never>().promise
    },
    async *streamQuery() {},
  }
  class HungDriver extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return connection
    }
  }
  const db: Db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new HungDriver(),
      createIntrospector: (inner) => new PostgresIntrospector(inner),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { db, queries: () => count }
}
