import { inSlots } from '#domain/sharing/in-slots.ts'
import { decided } from '#workflows/messages.ts'
import {
  outboxChannel,
  ownLeaseMs,
  type AnnouncedDecision,
  type WrittenOutboxRow,
} from '#store/records/outbox.ts'
import type { TemporalClient } from '../temporal-client.ts'
import type { Log } from '#services/core/context.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import { ForeignNamespaceError } from '#services/installation/remember-namespace.ts'
import { DeliveredMarks, type LeasedRow, leaseRows, postpone, runsToDeliver } from './lease-rows.ts'
import { type DeliveryContext, deliverRows } from './deliver-rows.ts'
import { Listener } from '../listener.ts'
import { RepeatedWork, warnWith } from '../repeated-work.ts'

/** Runs of one round, and concurrent ones. */
const runsPerRound = 200
const runsAtOnce = 16
/** The pause while rows wait, and while Temporal or the notifications are unavailable. */
const busyRoundEveryMs = 500
/** While nothing waits: a round without a notification finds what a lost connection had missed. */
const quietRoundEveryMs = 60_000
/** After this time another process has delivered the rows that it committed, or has died. */
const takeOverAfterMs = ownLeaseMs + 1000
/**
 * Signals for programs' requests are sent after all others: once no decision has come for
 * `laterByMs`, and in any case after `laterByAtMostMs`, which is shorter than the lease of their
 * rows. A decision with `Prefer: wait` waits that long for `delivered`.
 */
const laterByMs = 100
const laterByAtMostMs = 800
const laterAtOnce = 4

/**
 * The outbox relay of every API process. It delivers this process's rows at once, except signals
 * for the requests of programs, which are sent after all others. It delivers rows left by others
 * (or while Temporal was down) in rounds, woken by `NOTIFY`. Rows of one run go in order: within
 * the process by a chain per run, between processes by leases.
 */
export class Relay implements AsyncDisposable {
  readonly #delivering: DeliveryContext & { readonly marks: DeliveredMarks }
  readonly #owner: string
  readonly #log: Log
  readonly #quietRoundEveryMs: number
  readonly #foreignNamespace: (error: ForeignNamespaceError) => void
  readonly #busy = new Map<string, { again: boolean }>()
  readonly #rounds: RepeatedWork
  readonly #listener: Listener
  readonly #inFlight = new Set<Promise<void>>()
  /** rows that are sent after all others, by the request of a program */
  readonly #later = new Map<string, readonly WrittenOutboxRow[]>()
  readonly #laterRounds: RepeatedWork
  #reachable = true
  /** whether the last round found undelivered rows, even leased ones */
  #hasOpen = false

  constructor(options: {
    readonly delivering: DeliveryContext
    readonly databaseUrl: string
    readonly processId: string
    readonly log: Log
    /** Temporal is a foreign one: the process should stop with this sentence */
    readonly foreignNamespace: (error: ForeignNamespaceError) => void
    /** how long it rests while nothing waits; a minute */
    readonly quietRoundEveryMs?: number
  }) {
    this.#foreignNamespace = options.foreignNamespace
    this.#delivering = {
      ...options.delivering,
      marks: new DeliveredMarks(options.delivering.db),
    }
    this.#owner = options.processId
    this.#log = options.log
    this.#quietRoundEveryMs = options.quietRoundEveryMs ?? quietRoundEveryMs
    this.#rounds = new RepeatedWork({
      everyMs: () => this.#restMs(),
      work: () => this.#round(),
      onError: warnWith(this.#log, 'the relay could not read the outbox'),
    })
    this.#laterRounds = new RepeatedWork({
      everyMs: quietRoundEveryMs,
      gatherMs: laterByMs,
      gatherAtMostMs: laterByAtMostMs,
      work: () => this.#deliverLater(),
      onError: (error) => this.#recordFailure(error),
    })
    this.#listener = new Listener({
      url: options.databaseUrl,
      channels: [outboxChannel],
      onNotification: (_channel, owner) => {
        if (owner === '') this.#rounds.wake()
        else if (owner !== this.#owner) this.#rounds.wakeWithin(takeOverAfterMs)
      },
    })
  }

  /** True while Temporal answers. */
  get reachable(): boolean {
    return this.#reachable
  }

  /** Delivers rows that this process has just committed, without making the caller wait. */
  deliver(rows: readonly WrittenOutboxRow[]): void {
    for (const [runId, own] of Map.groupBy(rows, (row) => row.runId)) {
      const [first] = own
      const goesFirst = first?.isNext === true && !this.#busy.has(runId)
      if (goesFirst && own.every(comesLater)) {
        this.#later.set(runId, own)
        this.#laterRounds.wake()
        continue
      }
      this.#later.delete(runId)
      this.#track(this.#deliverRun(runId, goesFirst ? own : []))
    }
  }

  async #deliverLater(): Promise<void> {
    await inSlots([...this.#later], laterAtOnce, async ([runId, rows]) => {
      // While Temporal is away, the rounds try them again.
      if (this.#later.delete(runId) && this.#reachable) await this.#deliverRun(runId, rows)
    })
  }

  /**
   * Signals a decision during its commit, if nothing else of its run is being delivered. Returns
   * whether Temporal accepted it; otherwise the delivery after the commit sends it.
   */
  announce(decision: AnnouncedDecision): Promise<boolean> | undefined {
    if (!this.#reachable || this.#busy.has(decision.runId)) return undefined
    const announced = signalDecided(this.#delivering.temporal, decision).then(
      () => true,
      () => false,
    )
    this.#track(announced)
    return announced
  }

  #restMs(): number {
    const isBusy = this.#hasOpen || !this.#reachable
    const connected = isBusy ? busyRoundEveryMs : this.#quietRoundEveryMs
    return this.#listener.restMs({ connected, lost: busyRoundEveryMs })
  }

  async #round(): Promise<void> {
    const { runIds, hasOpen } = await runsToDeliver(this.#delivering.db, runsPerRound)
    this.#hasOpen = hasOpen
    for (let from = 0; from < runIds.length; from += runsAtOnce) {
      await Promise.all(runIds.slice(from, from + runsAtOnce).map((id) => this.#deliverRun(id)))
    }
  }

  /**
   * Delivers the rows of one run, never twice at a time; rows that arrive meanwhile are leased
   * afterwards. `leased`: rows that this process wrote and leased and that no other row precedes,
   * so they need not be read again.
   */
  async #deliverRun(runId: string, leased: readonly WrittenOutboxRow[] = []): Promise<void> {
    const busy = this.#busy.get(runId)
    if (busy !== undefined) {
      busy.again = true
      return
    }
    const mine = { again: leased.length === 0 }
    this.#busy.set(runId, mine)
    try {
      const [first] = leased
      if (first !== undefined) {
        const rows = leased.map((row) => ({ ...row, attempts: 1 }))
        if (rows.length === 1 && (await first.announced) === true) {
          await this.#delivering.marks.mark([first])
        } else await this.#deliver(runId, rows, first)
      }
      while (mine.again) {
        mine.again = false
        await this.#leaseAndDeliver(runId)
      }
    } finally {
      this.#busy.delete(runId)
    }
  }

  async #leaseAndDeliver(runId: string): Promise<void> {
    const rows = await leaseRows(this.#delivering.db, runId, this.#owner)
    if (rows.length > 0) await this.#deliver(runId, rows, null)
  }

  async #deliver(
    runId: string,
    rows: readonly LeasedRow[],
    written: WrittenOutboxRow | null,
  ): Promise<void> {
    try {
      await deliverRows(this.#delivering, runId, rows, written)
      this.#reachable = true
    } catch (error) {
      if (error instanceof ForeignNamespaceError) this.#foreignNamespace(error)
      // The rounds may have been slow: from now on they are fast.
      if (this.#reachable) this.#rounds.wake()
      this.#reachable = false
      this.#log.warn(
        { runId, error: errorText(error) },
        'Temporal did not take a signal; it will be sent again',
      )
      await postpone(this.#delivering.db, rows, errorText(error))
    }
  }

  #track(work: Promise<unknown>): void {
    const task = work
      .then(
        () => undefined,
        (error: unknown) => this.#recordFailure(error),
      )
      .finally(() => this.#inFlight.delete(task))
    this.#inFlight.add(task)
  }

  #recordFailure(error: unknown): void {
    this.#rounds.wakeWithin(takeOverAfterMs)
    this.#log.warn({ error: errorText(error) }, 'a delivery failed; the next round repeats it')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]()
    await this.#rounds[Symbol.asyncDispose]()
    await this.#laterRounds[Symbol.asyncDispose]()
    await Promise.all(this.#inFlight)
  }
}

/**
 * After a decision, the workflow of a program's request only ends: the program reads the decision
 * from the store.
 */
function comesLater({ kind, isOfProgram }: WrittenOutboxRow): boolean {
  return kind === 'signal_decided' && isOfProgram
}

/** Signals a run's workflow that these requests have decisions. Rejects when the signal fails. */
async function signalDecided(
  temporal: TemporalClient,
  { workflowId, requestIds }: Pick<AnnouncedDecision, 'workflowId' | 'requestIds'>,
): Promise<void> {
  await temporal.withDeadline(() =>
    temporal.client.workflow.getHandle(workflowId).signal(decided, requestIds),
  )
}
