import { isGrpcServiceError, ServiceError, type WorkflowStartOptions } from '@temporalio/client'
import type { Selectable } from 'kysely'
import { searchAttributes } from '#domain/runs/search-attributes.ts'
import { errorText } from '#services/core/error-text.ts'
import type { Log } from '#services/core/context.ts'
import type { Db } from '#store/database.ts'
import type { RunTable } from '#store/tables/runs.ts'
import type { RunPosition } from '#workflows/messages.ts'
import { Repeating } from './repeating.ts'
import type { TemporalClient } from './temporal-client.ts'

/** How late it is noticed that attributes were added to the namespace, or removed from it. */
const everyMs = 60_000

type Listed = Pick<
  WorkflowStartOptions,
  'staticSummary' | 'staticDetails' | 'memo' | 'typedSearchAttributes'
>

/** The first turn of a run, which its workflow takes without reading where the run stands. */
type FirstTurn = Pick<RunPosition, 'turn' | 'taskQueue'>

/**
 * What Temporal's own list of workflows says of a run: a summary, its ids and, where the namespace
 * has them or lets us add them, search attributes. Without them everything works as well.
 */
export class RunListing implements AsyncDisposable {
  readonly #options: { db: Db; temporal: TemporalClient; publicUrl: string; log: Log }
  readonly #rounds: Repeating
  readonly #looked = Promise.withResolvers<void>()
  #hasAttributes = false
  #said: string | null = null

  constructor(options: { db: Db; temporal: TemporalClient; publicUrl: string; log: Log }) {
    this.#options = options
    this.#rounds = new Repeating({
      everyMs,
      work: () => this.#look(),
      onError: (error) => this.#say(errorText(error)),
    })
  }

  /** Resolves when the namespace was asked once, whatever it answered. */
  async hasAttributes(): Promise<boolean> {
    await this.#looked.promise
    return this.#hasAttributes
  }

  /**
   * Starts a workflow with what is listed of its run, and with its first turn. A server that has
   * not noticed yet which attributes its namespace has refuses them: the workflow is started
   * without.
   */
  async start<T>(
    runId: string,
    start: (listed: Listed, firstTurn: FirstTurn) => Promise<T>,
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
    // Where a run with turns, or with calls of people, stands is for its workflow to read.
    const isNew = run.turn === (run.forked_after_turn ?? 0) && run.has_manual_calls === false
    const firstTurn = isNew ? { turn: run.turn + 1, taskQueue: run.task_queue } : {}
    const { typedSearchAttributes, ...listed } = await this.#of(runId, run)
    if (typedSearchAttributes === undefined) return start(listed, firstTurn)
    try {
      return await start({ ...listed, typedSearchAttributes }, firstTurn)
    } catch (error) {
      if (!isRefused(error)) throw error
      this.#hasAttributes = false
      this.#rounds.wake()
      return start(listed, firstTurn)
    }
  }

  async #of(
    runId: string,
    run: Pick<Selectable<RunTable>, 'number' | 'worker' | 'started_by'>,
  ): Promise<Listed> {
    const { publicUrl } = this.#options
    const { worker, started_by: starter } = run
    const number = Number(run.number)
    const listed: Listed = {
      staticSummary: `#${number} ${worker}`,
      staticDetails: `Run #${number} in Countersign: ${publicUrl}/runs/${runId}`,
      memo: { runId, number, worker, ...(starter === null ? {} : { starter }) },
    }
    if (!(await this.hasAttributes())) return listed
    const typedSearchAttributes: NonNullable<Listed['typedSearchAttributes']> = [
      { key: searchAttributes.worker, value: worker },
      { key: searchAttributes.state, value: 'running' },
      { key: searchAttributes.number, value: number },
      ...(starter === null ? [] : [{ key: searchAttributes.starter, value: starter }]),
    ]
    return { ...listed, typedSearchAttributes }
  }

  /** Looks which attributes the namespace has, and adds those that are missing where it may. */
  async #look(): Promise<void> {
    try {
      let missing = missingOf(await this.#options.temporal.searchAttributes())
      if (missing.size > 0) {
        await this.#options.temporal.addSearchAttributes(missing)
        missing = missingOf(await this.#options.temporal.searchAttributes())
      }
      this.#hasAttributes = missing.size === 0
      if (missing.size > 0) this.#say(`the namespace lacks ${[...missing.keys()].join(', ')}`)
    } catch (error) {
      this.#hasAttributes = false
      throw error
    } finally {
      this.#looked.resolve()
    }
  }

  #say(why: string): void {
    if (this.#said === why) return
    this.#said = why
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
