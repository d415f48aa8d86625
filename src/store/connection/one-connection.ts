import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDriver, type Dialect } from 'kysely'
import type { Database } from '../tables/schema.ts'

/** A connection that the running code holds, and the one that was held when it was taken. */
interface HeldConnection {
  readonly pool: object
  readonly outer: HeldConnection | undefined
  isReleased: boolean
}

const holding = new AsyncLocalStorage<HeldConnection>()

/**
 * Code that holds a connection of a pool asked the same pool for another one, which is a defect of
 * the service.
 */
export class SecondConnectionError extends Error {
  override readonly name = 'SecondConnectionError'

  constructor() {
    super(
      'A second connection was requested while one is held: use the transaction, or request it before the transaction begins',
    )
  }
}

/**
 * A database that refuses a second connection to code inside a transaction (or `connection()`).
 * Such code could wait for connections whose holders wait for its locks: a deadlock of the pool.
 * `take` resolves when a connection may be taken.
 */
export function oneConnectionAtATime(
  dialect: Dialect,
  take: () => Promise<() => void>,
): Kysely<Database> {
  const pooled = new Kysely<Database>({ dialect })
  const pool = {}
  const executor = pooled.getExecutor()
  const provideConnection: typeof executor.provideConnection = async (use, options) => {
    const around = holding.getStore()
    if (holds(around, pool)) throw new SecondConnectionError()
    const release = await take()
    const pinned: HeldConnection = { pool, outer: around, isReleased: false }
    try {
      return await executor.provideConnection(
        (connection) => holding.run(pinned, () => use(connection)),
        options,
      )
    } finally {
      pinned.isReleased = true
      release()
    }
  }
  return new Kysely<Database>({
    config: { dialect },
    dialect,
    driver: new DriverOf(pooled),
    executor: executor.withConnectionProvider({ provideConnection }),
  })
}

function holds(connection: HeldConnection | undefined, pool: object): boolean {
  for (let one = connection; one !== undefined; one = one.outer) {
    if (one.pool === pool && !one.isReleased) return true
  }
  return false
}

/** Begins and ends transactions on the connections of `pooled`. */
class DriverOf extends PostgresDriver {
  readonly #pooled: Kysely<Database>

  constructor(pooled: Kysely<Database>) {
    super({
      pool: async () => {
        throw new Error('Connections come from the executor')
      },
    })
    this.#pooled = pooled
  }

  override async destroy(): Promise<void> {
    await this.#pooled.destroy()
  }
}
