import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import proto, { type temporal } from '@temporalio/proto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from '#store/tables/schema.ts'
import { Installation } from '#test/harness/installation/installation.ts'
import { startRun } from '#test/harness/installation/start-run.ts'
import type { TestSession } from '#test/harness/installation/test-session.ts'
import { monotonicMs, rest } from '../figures.ts'
import { bytesByTable } from '../stored-bytes.ts'
import { benchProject } from './bench-project.ts'

/** The fields of a request that an approval names. */
export interface ApprovableRequest {
  readonly requestId: string
  readonly digest: string
  /** the digest of its presentation */
  readonly seen: string
}

/** Approves these, at most 200, in one call; rejects unless each is recorded. */
export async function approveMany(
  decider: TestSession,
  requests: readonly ApprovableRequest[],
): Promise<void> {
  const decisions = requests.map(({ requestId, digest, seen }) => ({
    requestId,
    decision: 'approve',
    digest,
    revision: 1,
    seen,
  }))
  const answer = await decider.post('/v1/decisions', { decisions })
  const items = answer.body['items'] as { status: number }[] | undefined
  if (items?.every(({ status }) => status === 200) !== true) {
    throw new Error(JSON.stringify(items?.find(({ status }) => status !== 200) ?? answer.body))
  }
}

/** A run of the installation whose call waits for a decision. */
export interface WaitingRun extends ApprovableRequest {
  readonly runId: string
  readonly callId: string
}

export interface DecidedRun {
  /** from sending the decision to the tool's first line */
  readonly toolMs: number
  /** until the answer "recorded" */
  readonly recordedMs: number
  readonly at: number
}

const waitMs = 60_000

/** A whole installation, measured from outside: by HTTP requests and by the clock of the tool. */
export class Ours implements AsyncDisposable {
  readonly installation: Installation
  readonly pool: pg.Pool
  readonly #ada: TestSession
  readonly #grace: TestSession
  readonly #temporal: Client

  private constructor(
    installation: Installation,
    pool: pg.Pool,
    ada: TestSession,
    grace: TestSession,
    temporal: Client,
  ) {
    this.installation = installation
    this.pool = pool
    this.#ada = ada
    this.#grace = grace
    this.#temporal = temporal
  }

  static async start(): Promise<Ours> {
    const installation = await Installation.start(benchProject())
    const pool = new pg.Pool({ connectionString: await installation.databaseUrl(), max: 16 })
    // A restart of Postgres ends idle connections; the next query opens another.
    pool.on('error', () => undefined)
    const [ada, grace] = [
      await installation.signIn('ada@example.com'),
      await installation.signIn('grace@example.com'),
    ]
    const connection = await Connection.connect({ address: await temporalAddress(installation) })
    return new Ours(installation, pool, ada, grace, new Client({ connection }))
  }

  temporalAddress(): Promise<string> {
    return temporalAddress(this.installation)
  }

  async startRun(worker: string, input: string): Promise<WaitingRun> {
    return this.untilWaiting(await startRun(this.#ada, { worker, input }))
  }

  /** The run's request that waits now. */
  async untilWaiting(runId: string): Promise<WaitingRun> {
    const deadline = monotonicMs() + waitMs
    while (monotonicMs() < deadline) {
      const { rows } = await this.pool.query<Omit<WaitingRun, 'runId'>>({
        // Prepared, because planning each of many queries takes longer than the start that they
        // wait for.
        name: 'bench_until_waiting',
        text: `select request.id as "requestId", call_id as "callId", request.digest,
          presentation_digest as seen
        from request join request_revision shown on shown.request_id = request.id
        where run_id = $1 and state = 'pending'`,
        values: [runId],
      })
      const [waiting] = rows
      if (waiting !== undefined) return { runId, ...waiting }
      await rest(25)
    }
    throw new Error(`run ${runId} has no request`)
  }

  /** Decides, and waits until the tool has reported its start time. */
  async decide(run: WaitingRun): Promise<DecidedRun> {
    const sent = monotonicMs()
    await this.#approve(run)
    const recordedMs = monotonicMs() - sent
    const at = await this.#toolTime(run)
    return { toolMs: at - sent, recordedMs, at }
  }

  /** Decides. Rejects if no answer comes. Does not repeat a recorded decision. */
  async record(run: WaitingRun): Promise<true> {
    const { rows } = await this.pool.query<{ state: string }>(
      'select state from request where id = $1',
      [run.requestId],
    )
    if (rows[0]?.state === 'pending') await this.#approve(run)
    return true
  }

  async #approve(run: WaitingRun): Promise<void> {
    const answer = await this.#grace.post(`/v1/requests/${run.requestId}/decisions`, {
      decision: 'approve',
      digest: run.digest,
      revision: 1,
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }

  /** Waits until the effect of the run's call has begun. */
  async untilStarted(run: WaitingRun): Promise<void> {
    const deadline = monotonicMs() + waitMs
    while (monotonicMs() < deadline) {
      const { rows } = await this.pool.query(
        `select 1 from execution where call_id = $1 and state = 'started'`,
        [run.callId],
      )
      if (rows.length > 0) return
      await rest(20)
    }
    throw new Error(`call ${run.callId} did not start`)
  }

  /** Waits until the run's workflow has ended. */
  async untilWorkflowEnded(run: WaitingRun): Promise<void> {
    await this.#temporal.workflow.getHandle(`agent-run:${run.runId}`).result()
  }

  /** Waits until these runs have taken their last turn and ended. */
  async untilEnded(runIds: readonly string[], withinMs = waitMs): Promise<void> {
    const deadline = monotonicMs() + withinMs
    while (monotonicMs() < deadline) {
      const { rows } = await this.pool.query<{ open: number }>(
        `select count(*)::integer as open from run where id = any($1::uuid[]) and ended_at is null`,
        [runIds],
      )
      if (rows[0]?.open === 0) return
      await rest(50)
    }
    throw new Error('runs did not end')
  }

  async #toolTime(run: WaitingRun): Promise<number> {
    const deadline = monotonicMs() + waitMs
    while (monotonicMs() < deadline) {
      const { rows } = await this.pool.query<{ done: boolean }>(
        `select finished_at is not null as done from tool_call where id = $1`,
        [run.callId],
      )
      if (rows[0]?.done === true) return this.#readTime(run)
      await rest(25)
    }
    throw new Error(`call ${run.callId} did not run`)
  }

  async #readTime(run: WaitingRun): Promise<number> {
    const transcript = await this.#ada.get(`/v1/runs/${run.runId}/transcript`)
    const items = transcript.body['items'] as {
      calls?: { callId: string; result?: { output?: { at?: number } } }[]
    }[]
    const call = items.flatMap((item) => item.calls ?? []).find((one) => one.callId === run.callId)
    const at = call?.result?.output?.at
    if (at === undefined) throw new Error(`no time in ${JSON.stringify(call)}`)
    return at
  }

  /** Events and bytes of history per gated step, between the first and the last signal. */
  async historyPerStep(runId: string): Promise<{ events: number; bytes: number }> {
    const { events } = await this.#temporal.workflow.getHandle(`agent-run:${runId}`).fetchHistory()
    const isSignal = (event: temporal.api.history.v1.IHistoryEvent): boolean =>
      event.workflowExecutionSignaledEventAttributes !== null &&
      event.workflowExecutionSignaledEventAttributes !== undefined
    const all = events ?? []
    const signals = all.filter(isSignal).length
    const steps = all.slice(all.findIndex(isSignal), all.findLastIndex(isSignal))
    const bytes = proto.temporal.api.history.v1.History.encode({ events: steps }).finish().length
    return { events: steps.length / (signals - 1), bytes: bytes / (signals - 1) }
  }

  /** Bytes of all rows as Postgres stores them, without indexes and free space. */
  async storedBytes(): Promise<number> {
    const dialect = new PostgresDialect({ pool: this.pool })
    const tables = await bytesByTable(new Kysely<Database>({ dialect }))
    return [...tables.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end()
    await this.#temporal.connection.close()
    await this.installation[Symbol.asyncDispose]()
  }
}

async function temporalAddress(installation: Installation): Promise<string> {
  const path = join(installation.dataDir, 'run', 'temporal.address')
  return (await readFile(path, 'utf8')).trim()
}
