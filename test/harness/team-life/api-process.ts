import { randomUUID } from 'node:crypto'
import { NamespaceGuard } from '#delivery/namespace-guard.ts'
import { Relay } from '#delivery/outbox/relay.ts'
import { admitRun } from '#services/engine/lifecycle/admit-run.ts'
import { createPolicyReader } from '#services/policy/activations/policy-reader.ts'
import { connectDatabase } from '#store/database.ts'
import type { StandInTemporal } from './stand-in-temporal.ts'
import type { SigningSystemContext } from '#services/core/context.ts'

/**
 * An API process as far as its verbs and its relay go, with connections of its own, that can be
 * killed.
 */
export class ApiProcess implements AsyncDisposable {
  readonly ctx: SigningSystemContext
  readonly #relay: Relay
  #dead = false

  constructor(options: {
    readonly like: SigningSystemContext
    readonly databaseUrl: string
    readonly temporal: StandInTemporal
  }) {
    const { like, databaseUrl, temporal } = options
    const processId = `api-${randomUUID()}`
    const db = connectDatabase({ url: databaseUrl, poolSize: 6, applicationName: processId })
    const client = temporal.clientOf(() => this.#dead)
    const { verifier, memory, log } = like
    this.ctx = {
      ...like,
      db,
      processId,
      policies: createPolicyReader({ db, verifier, memory, log }),
      outboxCommitted: (rows) => (this.#dead ? undefined : this.#relay.deliver(rows)),
      outboxAnnounced: (decision) => (this.#dead ? undefined : this.#relay.announce(decision)),
    }
    this.#relay = new Relay({
      delivering: {
        db,
        temporal: client,
        guard: new NamespaceGuard({ db, temporal: client }),
        taskQueue: 'test',
        admit: (runId) => admitRun(this.ctx, { runId }),
      },
      databaseUrl,
      processId,
      log,
      foreignNamespace: (error) => {
        throw error
      },
    })
  }

  /** From now on it sends nothing to Temporal. Cutting its connections completes its end. */
  die(): void {
    this.#dead = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]()
    await this.ctx.db.destroy()
  }
}
