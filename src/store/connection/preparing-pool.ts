import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isDatabaseAway } from './database-outage.ts'
import { countOfLast } from './last-statement.ts'
import { transactionBeginning } from './one-plan.ts'
import { together } from './side-by-side.ts'

/**
 * A statement is prepared from its third use on. The number of prepared and of counted statements
 * is limited, so that connections do not grow without bound.
 */
const preparedFromUse = 3
const maxPrepared = 300
const maxCounted = 2000

/** Commands such as `begin` have no plan. */
const isPlanned = /^\s*(?:\/\*[^*]*\*\/\s*)?(select|with|insert|update|delete)\b/i
/**
 * Statements that need a plan for their values: a page of a list, because a generic plan would read
 * too much for the first page, and a conflict with a partial index, which a parameter does not
 * match.
 */
const plannedByValue = [/ limit \$/i, /on conflict \([^)]*\) where [^$]*\$/i]

/**
 * Names recurring statements. Postgres parses and plans a named statement once for each connection,
 * instead of every time. That is half the cost of most statements here.
 */
class StatementNames {
  readonly #uses = new Map<string, number>()
  /** `null`: not to be prepared */
  readonly #names = new Map<string, string | null>()
  #nameCount = 0

  /** Counts one use of a statement and returns its name; `undefined` before it recurs. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= maxPrepared) return name ?? undefined
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < preparedFromUse) {
      if (this.#uses.size >= maxCounted) this.#uses.clear()
      this.#uses.set(text, uses)
      return undefined
    }
    this.#uses.delete(text)
    const isPrepared = isPlanned.test(text) && !plannedByValue.some((by) => by.test(text))
    if (isPrepared) this.#nameCount += 1
    const newName = isPrepared ? `countersign_${this.#nameCount}` : null
    this.#names.set(text, newName)
    return newName ?? undefined
  }

  /** Forgets all names after a change of the schema, so that statements get new ones. */
  forget(): void {
    this.#names.clear()
  }
}

/**
 * A pool for Kysely. Its connections prepare statements that recur. They send `begin` together with
 * the first statement of the transaction, and `commit` together with those that are marked as the
 * last, which saves two round trips and needs pipelined connections.
 */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const names = new StatementNames()
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      const preparing = clients.get(client) ?? preparingClient(client, names)
      clients.set(client, preparing)
      return preparing
    },
  }
}

function preparingClient(client: pg.PoolClient, names: StatementNames): PostgresPoolClient {
  const ask = async (text: string, parameters: readonly unknown[]) => {
    const values = [...parameters]
    const name = names.nameOf(text)
    gatherWrites(client)
    if (name === undefined) return client.query(text, values)
    try {
      return await client.query({ name, text, values })
    } catch (error) {
      if (!isPlanOutdated(error)) throw error
      names.forget()
      // A failed transaction accepts no more queries: it is retried as a whole.
      if (client.getTransactionStatus() !== 'I' || countOfLast(text) !== null) throw error
      return client.query(text, values)
    }
  }
  let isOver = false
  let lastSent = 0
  /** Sends the commit with the last statements. If one fails, Postgres rolls back instead. */
  const send = async (text: string, values: readonly unknown[]) => {
    const count = countOfLast(text)
    if (count === null) return ask(text, values)
    lastSent += 1
    if (lastSent < count) return ask(text, values)
    isOver = true
    const [answer] = await together([ask(text, values), client.query('commit')])
    return answer
  }
  let begins = false
  const askInOrder = async (text: string, values: readonly unknown[]) => {
    const isEnd = text === 'commit' || text === 'rollback'
    if (isEnd) lastSent = 0
    if (isOver) {
      // Kysely ends the transaction too, after its last statements have ended it.
      if (!isEnd) throw new Error(`Not in a transaction: ${text}`)
      isOver = false
      return { command: text.toUpperCase(), rowCount: null, rows: [] }
    }
    if (text === 'begin') {
      begins = true
      return { command: 'BEGIN', rowCount: null, rows: [] }
    }
    if (!begins) return send(text, values)
    begins = false
    gatherWrites(client)
    const [, answer] = await Promise.all([
      client.query(transactionBeginning(text)),
      send(text, values),
    ])
    return answer
  }
  let isLost = false
  const askAndNotice = async (text: string, values: readonly unknown[]) => {
    try {
      return await askInOrder(text, values)
    } catch (error) {
      isLost ||= isDatabaseAway(error)
      throw error
    }
  }
  return {
    // The other overload, with a cursor, is for streams, which are not used.
    query: askAndNotice as unknown as PostgresPoolClient['query'],
    // The pool may give a lost connection to the next caller before it notices the loss.
    release: (destroy) => client.release(destroy === true || isLost),
  }
}

/**
 * Sends everything that this turn of the event loop writes in one system call, which costs as much
 * as a small statement.
 */
function gatherWrites(client: pg.PoolClient): void {
  const { stream } = client.connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Whether a statement failed because a migration changed its table after it was prepared. */
export function isPlanOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && /cached plan/.test(error.message)
  )
}
