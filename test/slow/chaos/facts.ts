import pg from 'pg'

export interface CallFacts {
  readonly callId: string
  readonly requestId: string
  readonly requestState: string
  readonly decisions: number
  readonly attempts: number
  readonly state: string | null
  readonly started: boolean
  readonly settled: boolean
  readonly result: string | null
}

/** Reads Postgres as an outsider, and goes on when it was killed. */
export class Facts implements AsyncDisposable {
  readonly #pool: pg.Pool

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 8, connectionTimeoutMillis: 2000 })
    this.#pool.on('error', () => undefined)
  }

  /** The rows, or none while Postgres is away. */
  async rows<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    try {
      return (await this.#pool.query<T>(sql, values)).rows
    } catch {
      return []
    }
  }

  async pendingOf(runId: string): Promise<{ id: string; digest: string; call_id: string } | null> {
    const rows = await this.rows<{ id: string; digest: string; call_id: string }>(
      `select id, digest, call_id from request where run_id = $1 and kind = 'tool_call' and state = 'pending'`,
      [runId],
    )
    return rows[0] ?? null
  }

  async hasStarted(callId: string): Promise<boolean> {
    return (await this.rows('select 1 from execution where call_id = $1', [callId])).length > 0
  }

  /** Everything about every gated call, for the last judgement. */
  async calls(): Promise<CallFacts[]> {
    return this.rows<CallFacts & pg.QueryResultRow>(`
      select c.id as "callId", r.id as "requestId", r.state as "requestState", c.result_type as result,
        (select count(*)::int from decision d where d.request_id = r.id) as decisions,
        (select count(*)::int from execution e where e.call_id = c.id) as attempts,
        e.state, e.started_at is not null as started, e.settled_by is not null as settled
      from tool_call c
      join request r on r.call_id = c.id and r.kind = 'tool_call'
      left join lateral (select * from execution e where e.call_id = c.id order by attempt desc limit 1) e on true
    `)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end()
  }
}
