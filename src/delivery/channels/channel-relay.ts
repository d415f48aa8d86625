import type { Seals } from '#domain/statements/row-seals.ts'
import type { Policy } from '#policy/policy.ts'
import type { Log, PolicyReader } from '#services/core/context.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import type { Db } from '#store/database.ts'
import { Listener } from '../listener.ts'
import { RepeatedWork, warnWith } from '../repeated-work.ts'
import { changedRows } from './body-matches-request.ts'
import {
  finalOutcome,
  type DueDelivery,
  type NotificationChannel,
  type SendOutcome,
} from './channel.ts'
import {
  endpointsWithDue,
  isVouched,
  recordAttempt,
  takeDue,
  type DueRow,
} from './due-deliveries.ts'
import { createDeliveries, endChannel, retireEndpoints } from './create-deliveries.ts'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Times of the relay; tests have shorter ones. */
export interface RelayTimes {
  /**
   * the pauses after each failed attempt but the last: the schedule that Standard Webhooks
   * recommends, about 3 days in all
   */
  readonly pausesMs: readonly number[]
  readonly timeoutMs: number
  readonly leaseMs: number
  readonly everyMs: number
}

/** The times of a relay outside of tests. */
export const usualTimes: RelayTimes = {
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

/** Events of the stream within this time are notified of in one round. */
const gatherMs = 200

/** After this time without an attempt no retry is due within seconds. */
const quietAfterMs = minutes

/** Concurrent notifications to one endpoint. */
const usualSlots = { atOnce: 4, perRecipient: 4 }

export interface ChannelRelayOptions {
  readonly db: Db
  readonly databaseUrl: string
  readonly seals: Seals
  readonly log: Log
  readonly policies: PolicyReader
  /** the channels of a policy; called when another version takes force */
  readonly channelsOf: (policy: Policy) => readonly NotificationChannel[]
  readonly times?: RelayTimes
}

/**
 * Sends events to the channels of the policy in force, in every API process. Each channel has
 * slots of its own, so that one that is slow or down delays no other; without channels it does
 * nothing when something happens.
 */
export class ChannelRelay implements AsyncDisposable {
  readonly #options: ChannelRelayOptions
  readonly #times: RelayTimes
  readonly #stopping = new AbortController()
  /** what each channel is sending now, and to whom */
  readonly #sending = new Map<string, Map<Promise<void>, string>>()
  readonly #rounds: RepeatedWork
  readonly #listener: Listener
  #version: string | null = null
  #attemptedAt = -Infinity
  #channels: readonly NotificationChannel[] = []

  constructor(options: ChannelRelayOptions) {
    this.#options = options
    this.#times = options.times ?? usualTimes
    this.#rounds = new RepeatedWork({
      everyMs: () => this.#restMs(),
      work: () => this.#round(),
      onError: warnWith(options.log, 'a round of notifications failed; it is repeated'),
    })
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: ['countersign_sequenced', 'countersign_webhook'],
      onNotification: (channel) => {
        const isOfStream = channel === 'countersign_sequenced'
        const concerned = this.#channels.filter(({ events }) => !isOfStream || events.length > 0)
        if (concerned.length === 0) return
        if (isOfStream) this.#rounds.wakeWithin(gatherMs)
        else this.#rounds.wake()
      },
    })
  }

  /** Failed attempts are repeated after seconds at first, later after minutes. */
  #restMs(): number {
    const { everyMs } = this.#times
    const isQuiet = performance.now() - this.#attemptedAt > quietAfterMs
    return this.#listener.restMs({ connected: isQuiet ? 4 * everyMs : everyMs, lost: everyMs })
  }

  async #round(): Promise<void> {
    const { db, policies, channelsOf } = this.#options
    const policy = await policies.inForce()
    if (policy.digest !== this.#version) {
      const channels = channelsOf(policy)
      await retireEndpoints(
        db,
        channels.map(({ name }) => name),
      )
      this.#channels = channels
      this.#version = policy.digest
    }
    for (const channel of this.#channels) await this.#compose(channel)
    const names = this.#channels.map(({ name }) => name)
    const withDue = await endpointsWithDue(db, names, this.#times.pausesMs)
    for (const channel of this.#channels) if (withDue.has(channel.name)) await this.#fill(channel)
  }

  /** If it fails, the next round tries again; other channels do not wait for that. */
  async #compose(channel: NotificationChannel): Promise<void> {
    // Its messages are written in other transactions.
    if (channel.events.length === 0) return
    try {
      while (await createDeliveries(this.#options, channel));
    } catch (error) {
      const fields = { endpoint: channel.name, error: errorText(error) }
      this.#options.log.warn(
        fields,
        'notifications of a channel could not be created; the next round tries again',
      )
    }
  }

  /** Takes as many due deliveries as there are free slots and starts them without waiting. */
  async #fill(channel: NotificationChannel): Promise<void> {
    const under = this.#sending.get(channel.name) ?? new Map<Promise<void>, string>()
    this.#sending.set(channel.name, under)
    const { atOnce, perRecipient } = channel.slots ?? usualSlots
    const maxDeliveries = atOnce - under.size
    if (maxDeliveries <= 0 || this.#stopping.signal.aborted) return
    const { db } = this.#options
    const { leaseMs, pausesMs } = this.#times
    const underWay = [...under.values()]
    const slots = {
      endpoint: channel.name,
      maxDeliveries,
      leaseMs,
      pausesMs,
      perRecipient,
      underWay,
    }
    for (const due of await takeDue(db, slots)) {
      this.#attemptedAt = performance.now()
      const sending = this.#deliver(channel, due)
        .catch((error: unknown) => this.#failed(channel, due, error))
        .finally(() => {
          under.delete(sending)
          this.#rounds.wake()
        })
      under.set(sending, due.recipient)
    }
  }

  async #deliver(channel: NotificationChannel, due: DueRow): Promise<void> {
    const { db, log, seals } = this.#options
    const outcome: SendOutcome = isVouched(seals, channel.name, due)
      ? await channel.send(due, this.#stopping.signal, this.#times.timeoutMs)
      : finalOutcome(changedRows)
    const state = await recordAttempt(db, due, outcome, this.#times.pausesMs)
    if (state !== 'dead') return
    if (outcome.isGone === true) await endChannel(db, channel)
    log.warn(
      { endpoint: channel.name, deliveryId: due.id, status: outcome.status },
      'a notification was given up',
    )
  }

  /** The outcome could not be recorded: the delivery is sent again when its lease ends. */
  #failed(channel: NotificationChannel, due: DueDelivery, error: unknown): void {
    const { log } = this.#options
    const fields = { endpoint: channel.name, deliveryId: due.id, error: errorText(error) }
    log.warn(fields, 'the outcome of a notification could not be recorded; it is sent again')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
    await this.#rounds[Symbol.asyncDispose]()
    this.#stopping.abort()
    await Promise.all([...this.#sending.values()].flatMap((under) => [...under.keys()]))
  }
}
