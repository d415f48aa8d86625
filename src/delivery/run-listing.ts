import { isGrpcServiceError, ServiceError, type WorkflowStartOptions } from '@temporalio/client'
import { remainingMs } from '#services/requests/facts/deadline-of-request.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import { searchAttributes } from '#domain/runs/search-attributes.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import type { Log } from '#services/core/context.ts'
import type { Db } from '#store/database.ts'
import type { RunPosition, WaitPosition } from '#workflows/messages.ts'
import { RepeatedWork } from './repeated-work.ts'
import type { TemporalClient } from './temporal-client.ts'

/** How late it is noticed that attributes were added to, or removed from, the namespace. */
const everyMs = 60_000

export type ListingOptions = Pick<
  WorkflowStartOptions,
  'staticSummary' | 'staticDetails' | 'memo' | 'typedSearchAttributes'
>

type Attributes = NonNullable<ListingOptions['typedSearchAttributes']>

/** The first deadline of a request, which its workflow does not read then. */
type FirstDeadline = Pick<WaitPosition, 'nextDeadlineMs'>

/** The first turn of a run, which its workflow takes without reading the run's state. */
type FirstTurn = Pick<RunPosition, 'turn' | 'taskQueue'>

/**
 * The entry of a run or a program's request in Temporal's own list: a summary, its ids and, where
 * the namespace has them or permits adding them, search attributes. Nothing depends on them.
 */
export class RunListing implements AsyncDisposable {
  readonly #options: { db: Db; temporal: TemporalClient; publicUrl: string; log: Log }
  readonly #rounds: RepeatedWork
  readonly #looked = Promise.withResolvers<void>()
  #hasAttributes = false
  #logged: string | null = null

  constructor(options: { db: Db; temporal: TemporalClient; publicUrl: string; log: Log }) {
    this.#options = options
    this.#rounds = new RepeatedWork({
      everyMs,
      work: () => this.#look(),
      onError: (error) => this.#logOnce(errorText(error)),
    })
  }

  /** Resolves after the first answer of the namespace, whatever it was. */
  async hasAttributes(): Promise<boolean> {
    await this.#looked.promise
    return this.#hasAttributes
  }

  /**
   * Starts a workflow with the run's entry in the list, and with its first turn. A server that does
   * not know the attributes of its namespace yet refuses them: the workflow is then started
   * without.
   */
  async start<T>(
    runId: string,
    start: (options: ListingOptions, firstTurn: FirstTurn) => Promise<T>,
  ): Promise<T> {
    const run = await this.#options.db
      .selectFrom('run')
      .select(['number', 'worker', 'started_by', 'turn', 'forked_after_turn', 'task_queue'])
      .select(({ exists, selectFrom }) =>
        exists(selectFrom('manual_call').where('run_id', '=', runId)).as('has_manual_calls'),
      )
      .where('id', '=', runId)
      .executeTakeFirst()
    if (run === undefined) return start({}, {})
    // The workflow reads the state of a run with turns, or with calls of people.
    const isNew = run.turn === (run.forked_after_turn ?? 0) && run.has_manual_calls === false
    const firstTurn = isNew ? { turn: run.turn + 1, taskQueue: run.task_queue } : {}
    const { worker, started_by: starter } = run
    const number = Number(run.number)
    const options = {
      staticSummary: `#${number} ${worker}`,
      staticDetails: `Run #${number} in Countersign: ${this.#options.publicUrl}/runs/${runId}`,
      memo: { runId, number, worker, ...(starter === null ? {} : { starter }) },
    }
    const attributes: Attributes = [
      { key: searchAttributes.worker, value: worker },
      { key: searchAttributes.state, value: 'running' },
      { key: searchAttributes.number, value: number },
      ...(starter === null ? [] : [{ key: searchAttributes.starter, value: starter }]),
    ]
    return this.#startListed(options, attributes, (more) => start(more, firstTurn))
  }

  /**
   * Starts the workflow of a program's request: the one that waits for its decision, with its first
   * deadline, or the one that makes the approved call. Neither writes attributes later.
   */
  async startOfRequest<T>(
    requestId: string,
    state: 'waiting_for_approval' | 'running',
    start: (options: ListingOptions, wait: FirstDeadline) => Promise<T>,
  ): Promise<T> {
    const request = await this.#options.db
      .selectFrom('request')
      .innerJoin('external_request as external', 'external.request_id', 'request.id')
      .select(['number', 'tool', 'queue', 'worker', 'external.owner_id', 'on_behalf_of'])
      .select(remainingMs.as('remaining'))
      .where('request.id', '=', requestId)
      .executeTakeFirst()
    if (request === undefined) return start({}, {})
    const { queue, tool, worker } = request
    const number = Number(request.number)
    const starter = request.on_behalf_of ?? request.owner_id
    const { publicUrl } = this.#options
    const options = {
      staticSummary: `#${number} ${tool}`,
      staticDetails: `Request #${number} in Countersign: ${requestUrl(publicUrl, requestId)}`,
      memo: { requestId, number, tool, queue, starter, ...(worker === null ? {} : { worker }) },
    }
    const attributes: Attributes = [
      { key: searchAttributes.state, value: state },
      { key: searchAttributes.queue, value: [queue] },
      { key: searchAttributes.number, value: number },
      { key: searchAttributes.starter, value: starter },
      ...(worker === null ? [] : [{ key: searchAttributes.worker, value: worker }]),
    ]
    const wait = state === 'running' ? {} : { nextDeadlineMs: request.remaining }
    return this.#startListed(options, attributes, (more) => start(more, wait))
  }

  async #startListed<T>(
    options: ListingOptions,
    typedSearchAttributes: Attributes,
    start: (options: ListingOptions) => Promise<T>,
  ): Promise<T> {
    if (!(await this.hasAttributes())) return start(options)
    try {
      return await start({ ...options, typedSearchAttributes })
    } catch (error) {
      if (!isRefused(error)) throw error
      this.#hasAttributes = false
      this.#rounds.wake()
      return start(options)
    }
  }

  /** Reads which attributes the namespace has, and adds missing ones if permitted. */
  async #look(): Promise<void> {
    try {
      let missing = missingOf(await this.#options.temporal.searchAttributes())
      if (missing.size > 0) {
        await this.#options.temporal.addSearchAttributes(missing)
        missing = missingOf(await this.#options.temporal.searchAttributes())
      }
      this.#hasAttributes = missing.size === 0
      if (missing.size > 0) this.#logOnce(`the namespace lacks ${[...missing.keys()].join(', ')}`)
    } catch (error) {
      this.#hasAttributes = false
      throw error
    } finally {
      this.#looked.resolve()
    }
  }

  #logOnce(why: string): void {
    if (this.#logged === why) return
    this.#logged = why
    const sentence = 'runs are started without search attributes, and work as well'
    this.#options.log.info({ why }, sentence)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#looked.resolve()
    await this.#rounds[Symbol.asyncDispose]()
  }
}

/** One of another type counts as missing: adding it fails, and runs go without. */
function missingOf(present: ReadonlyMap<string, string>) {
  const all = Object.values(searchAttributes)
  return new Map(
    all.flatMap(({ name, type }) => (present.get(name) === type ? [] : [[name, type] as const])),
  )
}

/** gRPC's INVALID_ARGUMENT. */
const invalid: ReadonlySet<number> = new Set([3])

function isRefused(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error
  return isGrpcServiceError(cause) && invalid.has(cause.code)
}
