import type { WebhookEndpoint, WebhookSettings } from '../../policy/policy.ts'
import type { Log, PolicyReader } from '../../services/context.ts'
import type { Db } from '../../store/database.ts'
import { Listener } from '../listener.ts'
import { Repeating } from '../repeating.ts'
import { recordAttempt, takeDue, type DueDelivery } from './due-deliveries.ts'
import type { Resolve } from './find-target.ts'
import { sendWebhook, type SendOutcome } from './send-webhook.ts'
import { retireEndpoints, tellEndpoints } from './tell-endpoints.ts'
import { readSecrets, webhookHeaders } from './webhook-secret.ts'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Times of the relay; tests have shorter ones. */
export interface WebhookTimes {
  /** after each failed attempt but the last: the schedule that Standard Webhooks recommends, about 3 days in all */
  readonly pausesMs: readonly number[]
  readonly timeoutMs: number
  readonly leaseMs: number
  readonly everyMs: number
}

export const usualTimes: WebhookTimes = {
  pausesMs: [
    5 * seconds,
    5 * minutes,
    30 * minutes,
    2 * hours,
    5 * hours,
    10 * hours,
    14 * hours,
    20 * hours,
    24 * hours,
  ],
  timeoutMs: 10 * seconds,
  leaseMs: minutes,
  everyMs: 5 * seconds,
}

/** How many notifications are on their way to one endpoint at once. */
const atOnce = 4

export interface WebhookRelayOptions {
  readonly db: Db
  readonly databaseUrl: string
  readonly log: Log
  readonly policies: PolicyReader
  readonly publicUrl: string
  readonly isDevelopment: boolean
  /** the environment, for the endpoints' secrets */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly times?: WebhookTimes
  readonly resolve?: Resolve
}

/**
 * Tells the endpoints of countersign.yaml of events, in every API process. Each endpoint has places of its own, so that
 * one that is slow or down delays nothing else; without endpoints it does nothing when something happens.
 */
export class WebhookRelay implements AsyncDisposable {
  readonly #options: WebhookRelayOptions
  readonly #times: WebhookTimes
  readonly #stopping = new AbortController()
  readonly #sending = new Map<string, Set<Promise<void>>>()
  readonly #rounds: Repeating
  readonly #listener: Listener
  #version: string | null = null
  #settings: WebhookSettings = { allow: [], endpoints: new Map() }

  constructor(options: WebhookRelayOptions) {
    this.#options = options
    this.#times = options.times ?? usualTimes
    this.#rounds = new Repeating({
      everyMs: this.#times.everyMs,
      work: () => this.#round(),
      failed: (error) => options.log.warn({ error: String(error) }, 'webhooks wait'),
    })
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: ['countersign_sequenced', 'countersign_webhook'],
      heard: () => {
        if (this.#settings.endpoints.size > 0) this.#rounds.wake()
      },
    })
  }

  async #round(): Promise<void> {
    const { db, policies, publicUrl } = this.#options
    const { digest, config } = await policies.inForce()
    if (digest !== this.#version) {
      await retireEndpoints(db, [...config.webhooks.endpoints.keys()])
      this.#settings = config.webhooks
      this.#version = digest
    }
    const endpoints = [...this.#settings.endpoints.values()]
    if (endpoints.length === 0) return
    while (await tellEndpoints(db, endpoints, publicUrl));
    for (const endpoint of endpoints) await this.#fill(endpoint)
  }

  /** Takes what is due for as many as may be on their way, and does not wait for them. */
  async #fill(endpoint: WebhookEndpoint): Promise<void> {
    const under = this.#sending.get(endpoint.name) ?? new Set<Promise<void>>()
    this.#sending.set(endpoint.name, under)
    const most = atOnce - under.size
    if (most <= 0 || this.#stopping.signal.aborted) return
    const { db } = this.#options
    const { leaseMs } = this.#times
    for (const due of await takeDue(db, { endpoint: endpoint.name, most, leaseMs })) {
      const sent = this.#deliver(endpoint, due)
        .catch((error: unknown) => this.#failed(endpoint, due, error))
        .finally(() => {
          under.delete(sent)
          this.#rounds.wake()
        })
      under.add(sent)
    }
  }

  async #deliver(endpoint: WebhookEndpoint, due: DueDelivery): Promise<void> {
    const outcome = await this.#send(endpoint, due)
    const state = await recordAttempt(this.#options.db, due, outcome, this.#times.pausesMs)
    if (state !== 'dead') return
    this.#options.log.warn(
      { endpoint: endpoint.name, deliveryId: due.id, status: outcome.status },
      'a webhook was given up',
    )
  }

  async #send(endpoint: WebhookEndpoint, due: DueDelivery): Promise<SendOutcome> {
    const { environment, isDevelopment, resolve } = this.#options
    const keys = readSecrets(environment[endpoint.secretFrom])
    if (keys === null) {
      return { status: null, error: `${endpoint.secretFrom} is not set, or is no whsec_… secret` }
    }
    return sendWebhook({
      url: endpoint.url,
      headers: {
        'content-type': 'application/cloudevents+json',
        'user-agent': 'countersign',
        ...webhookHeaders(keys, { id: due.id, at: new Date(), body: due.body }),
      },
      body: due.body,
      allow: this.#settings.allow,
      isDevelopment,
      timeoutMs: this.#times.timeoutMs,
      stopping: this.#stopping.signal,
      ...(resolve === undefined ? {} : { resolve }),
    })
  }

  /** The outcome could not be recorded: the lease ends, and it is sent again. */
  #failed(endpoint: WebhookEndpoint, due: DueDelivery, error: unknown): void {
    const { log } = this.#options
    const fields = { endpoint: endpoint.name, deliveryId: due.id, error: String(error) }
    log.warn(fields, 'what became of a webhook could not be recorded')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
    await this.#rounds[Symbol.asyncDispose]()
    this.#stopping.abort()
    await Promise.all([...this.#sending.values()].flatMap((under) => [...under]))
  }
}
