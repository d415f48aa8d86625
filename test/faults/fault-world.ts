import pg from 'pg'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { readIdentityFile } from '#runtime/processes/process-identity.ts'
import {
  Installation,
  type ProcessName,
  type Surroundings,
} from '../harness/installation/installation.ts'
import { startRun } from '../harness/installation/start-run.ts'
import type { Answer, TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

export interface WaitingRequest {
  readonly id: string
  readonly number: number
  readonly callId: string
  readonly digest: string
  readonly revision: number
  readonly position: number
  /** of what is shown */
  readonly seen: string
}

/** The request at a place in a batch, from 1. */
export function requestAt(requests: readonly WaitingRequest[], place: number): WaitingRequest {
  const request = requests[place - 1]
  if (request === undefined) throw new Error(`no request ${place}`)
  return request
}

export interface CallState {
  readonly id: string
  readonly position: number
  readonly result: string | null
  readonly execution: string | null
  readonly reason: string | null
  readonly attempts: number
}

const withinMs = 120_000

/**
 * A whole installation with the people of the fault project, and an outsider's look at its database
 * and Temporal.
 */
export class FaultWorld implements AsyncDisposable {
  readonly installation: Installation
  #pool: pg.Pool
  #temporal: Client | null = null
  #letGo: (() => void) | null = null

  private constructor(installation: Installation, pool: pg.Pool) {
    this.installation = installation
    this.#pool = pool
  }

  static async start(
    files: Readonly<Record<string, string>>,
    surroundings?: Surroundings,
  ): Promise<FaultWorld> {
    const installation = await Installation.start(files, surroundings)
    return new FaultWorld(installation, await poolOf(installation))
  }

  /** Stops everything in order and starts it again; people sign in anew. */
  async restart(): Promise<void> {
    await this.#pool.end()
    await this.#temporal?.connection.close()
    this.#temporal = null
    await this.installation.restart()
    this.#pool = await poolOf(this.installation)
  }

  /** The session of a person by their first name, signed in once. */
  as(name: string): Promise<TestSession> {
    return this.installation.as(name)
  }

  async sql<T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.#pool.query<T>(text, values)).rows
  }

  /** Ada starts a run; returns its id. */
  async startRun(worker: string, more: Record<string, unknown> = {}, who = 'ada'): Promise<string> {
    return startRun(await this.as(who), { worker, input: 'go', ...more })
  }

  /** Waits until so many requests of a run are pending; in the model's order. */
  async waiting(runId: string, count = 1): Promise<readonly WaitingRequest[]> {
    let found: readonly WaitingRequest[] = []
    await waitUntil(
      async () => {
        found = await this.sql<WaitingRequest & pg.QueryResultRow>(
          `select id, number::int as number, call_id as "callId", request.digest, request.revision, position,
             presentation_digest as seen
           from request join request_revision shown
             on shown.request_id = request.id and shown.revision = request.revision
           where run_id = $1 and state = 'pending' order by turn, position`,
          [runId],
        ).catch(() => [])
        return found.length === count || `${found.length} of ${count} requests wait`
      },
      { withinMs },
    )
    return found
  }

  async onlyWaiting(runId: string): Promise<WaitingRequest> {
    const [request] = await this.waiting(runId)
    if (request === undefined) throw new Error('nothing waits')
    return request
  }

  async decide(
    request: Pick<WaitingRequest, 'id' | 'digest' | 'revision'>,
    how: Record<string, unknown> = {},
    { who = 'grace', headers = {} }: { who?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { digest, revision } = request
    const body = { decision: 'approve', digest, revision, ...how }
    return (await this.as(who)).post(`/v1/requests/${request.id}/decisions`, body, headers)
  }

  /** Waits until the run's row is in the state. */
  async untilRun(runId: string, state: string, ms = withinMs): Promise<void> {
    await this.untilSql(`select state from run where id = $1`, [runId], state, ms)
  }

  /** Waits until the query's only value is what is wanted. */
  async untilSql(text: string, values: unknown[], expected: unknown, ms = withinMs): Promise<void> {
    await waitUntil(
      async () => {
        const rows = await this.sql(text, values).catch((error: unknown) => [{ is: String(error) }])
        const is: unknown = Object.values(rows[0] ?? {})[0] ?? null
        return is === expected || `${text} is ${String(is)}, not ${String(expected)}`
      },
      { withinMs: ms, everyMs: 50 },
    )
  }

  /** Every call of a run with its result and newest attempt, in order. */
  calls(runId: string): Promise<CallState[]> {
    return this.sql<CallState & pg.QueryResultRow>(
      `select c.id, c.position, c.result_type as result,
         e.state as execution, e.reason,
         (select count(*)::int from execution where call_id = c.id) as attempts
       from tool_call c
       left join lateral (select * from execution where call_id = c.id order by attempt desc limit 1) e on true
       where c.run_id = $1 order by c.turn, c.position`,
      [runId],
    )
  }

  /** What the model was told of each call of a run, in order, as a person reads it. */
  async told(runId: string, who = 'ada'): Promise<string[]> {
    const { body } = await (await this.as(who)).get(`/v1/runs/${runId}/transcript`)
    const items = body['items'] as { calls?: { result?: { text?: string } }[] }[]
    return items.flatMap((item) => (item.calls ?? []).map((call) => call.result?.text ?? ''))
  }

  /** Types of a run's events in the trail, in order. */
  async audit(runId: string): Promise<string[]> {
    const rows = await this.sql<{ type: string }>(
      `select type from audit_event where run_id = $1 order by at, id`,
      [runId],
    )
    return rows.map((row) => row.type)
  }

  async temporalAddress(): Promise<string> {
    const file = join(this.installation.dataDir, 'run', 'temporal.address')
    return (await readFile(file, 'utf8')).trim()
  }

  /** A client as anybody who can reach Temporal has it. */
  async temporal(): Promise<Client> {
    const address = await this.temporalAddress()
    this.#temporal ??= new Client({ connection: await Connection.connect({ address }) })
    return this.#temporal
  }

  /** The kinds of the activities that the run's workflow waits for now. */
  async pendingActivities(runId: string): Promise<string[]> {
    const handle = (await this.temporal()).workflow.getHandle(`agent-run:${runId}`)
    const { pendingActivities } = (await handle.describe()).raw
    return (pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '')
  }

  /**
   * kill -9 of a process, which stays down until the returned function lets it be started again.
   */
  async takeDown(name: ProcessName): Promise<() => Promise<void>> {
    const file = join(this.installation.dataDir, 'run', 'supervisor.identity')
    const supervisor = await readIdentityFile(file)
    if (supervisor === null) throw new Error('nobody supervises')
    process.kill(supervisor.pid, 'SIGSTOP')
    this.#letGo = () => process.kill(supervisor.pid, 'SIGCONT')
    const gone = await this.installation.killNine(name)
    return async () => {
      this.#letGo?.()
      this.#letGo = null
      await this.installation.untilBack(name, gone)
    }
  }

  /** Text of a file of the project, or `null` when there is none. */
  read(path: string): Promise<string | null> {
    return readFile(join(this.installation.folder, path), 'utf8').catch(() => null)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A test that failed may have left the supervisor stopped: nobody would hear the Ctrl-C.
    this.#letGo?.()
    await this.#pool.end()
    await this.#temporal?.connection.close()
    await this.installation[Symbol.asyncDispose]()
  }
}

async function poolOf(installation: Installation): Promise<pg.Pool> {
  const connectionString = await installation.databaseUrl()
  const pool = new pg.Pool({ connectionString, max: 4, application_name: 'test' })
  pool.on('error', () => undefined)
  return pool
}
