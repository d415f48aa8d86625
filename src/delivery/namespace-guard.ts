import { rememberNamespace } from '#services/installation/remember-namespace.ts'
import type { Db } from '#store/database.ts'
import type { TemporalClient } from './temporal-client.ts'

/** How long a confirmation is valid; a server that was replaced is noticed then. */
const confirmedForMs = 5000

/** Prevents everything that would start a workflow in a foreign Temporal. */
export class NamespaceGuard {
  readonly #db: Db
  readonly #temporal: TemporalClient
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(options: { readonly db: Db; readonly temporal: TemporalClient }) {
    this.#db = options.db
    this.#temporal = options.temporal
  }

  /** Rejects with `ForeignNamespaceError`, or, without an answer, the connection's error. */
  async confirm(): Promise<void> {
    if (performance.now() - this.#confirmedAt < confirmedForMs) return
    await rememberNamespace(this.#db, await this.#temporal.namespaceId())
    this.#confirmedAt = performance.now()
  }
}
