import { sql } from 'kysely'
import type { Json } from '#domain/json/json.ts'
import type { ModelAnswer, ModelRequest } from '#models/model.ts'
import type { SigningContext } from '#services/core/context.ts'
import { connectDatabase, type Db } from '#store/database.ts'
import { isDatabaseAway } from '#store/connection/database-outage.ts'
import { agentDeskOn, type AgentDesk } from '../fixtures/agent-desk.ts'
import { fakeClock, type FakeClock } from '../fixtures/fake-clock.ts'
import type { TestPerson } from '../fixtures/people.ts'
import { outcomeOf } from '../fixtures/refusal.ts'
import { createTestDatabase } from '../postgres.ts'
import { waitUntil } from '../wait-until.ts'
import { ApiProcess } from './api-process.ts'
import { DyingHost } from './dying-host.ts'
import { StandInTemporal } from './stand-in-temporal.ts'
import { mailOf, Team } from './team.ts'

const minute = 60_000

/**
 * A team with its installation on a fake clock: Postgres, two API processes, a Temporal worker's
 * services.
 */
export interface TeamLife extends AsyncDisposable {
  readonly db: Db
  readonly desk: AgentDesk
  readonly clock: FakeClock
  readonly temporal: StandInTemporal
  readonly host: DyingHost
  readonly team: Team
  readonly people: readonly TestPerson[]
  /** decisions whose recording was confirmed to a person */
  readonly acknowledged: Set<string>
  /** the codes of the refusals so far */
  readonly refusals: Set<string>
  /**
   * Calls a verb like a person's program: at any process, and at another one if the connection
   * breaks. Returns the answer, or `null` for a refusal.
   */
  call<T>(which: number, verb: (ctx: SigningContext) => Promise<T>): Promise<T | null>
  /** Puts the teams as they are into force. */
  activate(): Promise<void>
  /** Lets time pass, timer by timer while Temporal is up. */
  pass(ms: number): Promise<void>
  /**
   * Waits until everything is delivered that can be, and every workflow that was woken has gone on.
   */
  settle(): Promise<void>
  /** Ends the connections of every process. */
  cut(): Promise<void>
  /** Kills so many API processes in the middle of their work, and starts as many. */
  kill(many: number): Promise<void>
}

export async function openTeamLife(size: number): Promise<TeamLife> {
  const plain = await createTestDatabase()
  const clock = await fakeClock(plain.db)
  // Connections of the clock's own kind: made after it.
  const db = connectDatabase({ url: plain.url, poolSize: 10, applicationName: 'worker' })
  const desk = await agentDeskOn({ url: plain.url, db, [Symbol.asyncDispose]: () => db.destroy() })
  // Every turn writes a new text, because a write without a change needs no approval.
  let turns = 0
  const modelOf = () => ({
    isScripted: true,
    step: async (request: ModelRequest) => answer(request, (turns += 1)),
  })
  const host = new DyingHost()
  desk.beforeExecute = () => host.beforeExecute()
  const temporal = new StandInTemporal({ ...desk.worker, modelOf }, host, clock)
  const team = new Team(size)
  const open = (): ApiProcess =>
    new ApiProcess({ like: desk.api, databaseUrl: plain.url, temporal })
  let processes = [open(), open()]
  const life: TeamLife = {
    db: plain.db,
    desk,
    clock,
    temporal,
    host,
    team,
    people: [],
    acknowledged: new Set(),
    refusals: new Set(),
    async call(which, verb) {
      for (let attempt = 0; ; attempt += 1) {
        const process = processes[(which + attempt) % processes.length]
        if (process === undefined) throw new Error('no API process runs')
        try {
          const outcome = await outcomeOf(verb(process.ctx))
          if ('answer' in outcome) return outcome.answer
          life.refusals.add(outcome.refusal.code)
          return null
        } catch (error) {
          if (attempt >= 8 || !isLostConnection(error)) throw error
        }
      }
    },
    async activate() {
      const from = await clock.now()
      await desk.activate(team.files())
      team.remember(from, await clock.now())
    },
    async pass(ms) {
      const until = (await clock.now()).getTime() + ms
      for (;;) {
        const now = (await clock.now()).getTime()
        const timer = temporal.isDown ? null : temporal.nextTimer()
        const next = timer === null || timer > until ? until : timer
        if (next > now) await clock.pass(next - now + 1)
        await life.settle()
        if (next >= until) return
      }
    },
    async settle() {
      for (;;) {
        await waitUntil(
          async () => {
            const outbox = await countUndelivered(plain.db, processes)
            if (outbox.moving + outbox.paused === 0) return true
            // Rows of a process that died, or released while Temporal was down: they are leased
            // again after the pause.
            if (outbox.moving === 0 && temporal.isDown) return true
            if (outbox.moving === 0) await clock.pass(11_000)
            await sql`select pg_notify('countersign_outbox', '')`.execute(plain.db)
            return `rows of ${outbox.moving} runs wait in the outbox, of ${outbox.paused} for later`
          },
          { withinMs: 120_000, everyMs: 10 },
        )
        if ((await temporal.work()) === 0) return
      }
    },
    async cut() {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'test' and backend_type = 'client backend'
      `.execute(plain.db)
    },
    async kill(many) {
      const killed = processes.slice(0, many)
      processes = [...processes.slice(many), ...killed.map(open)]
      for (const one of killed) one.die()
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = any(${killed.map(({ ctx }) => ctx.processId)})
      `.execute(plain.db)
      await Promise.all(killed.map((one) => one[Symbol.asyncDispose]()))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
      await desk[Symbol.asyncDispose]()
      await plain[Symbol.asyncDispose]()
    },
  }
  await life.activate()
  const people = await peopleOf(plain.db, team)
  return Object.assign(life, { people })
}

/** A message that lists files is answered with calls that write them; all else needs none. */
function answer({ turn, messages }: ModelRequest, edition: number): ModelAnswer {
  const usage = { inputTokens: 10, outputTokens: 10 }
  const last = messages.at(-1)
  const list: unknown = last?.role === 'user' ? readJson(last.text) : []
  const paths = Array.isArray(list) ? list.filter((path) => typeof path === 'string') : []
  const calls = paths.map((path, index) => ({
    id: `call-${turn}-${index + 1}`,
    tool: 'write_file',
    input: { path, content: `${path}, edition ${edition}\n` } satisfies Json,
  }))
  return { text: calls.length === 0 ? 'Done.' : 'I write.', calls, usage }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return []
  }
}

async function peopleOf(db: Db, team: Team): Promise<TestPerson[]> {
  const rows = await db.selectFrom('person').select(['id', 'name', 'email']).execute()
  return team.people.map((name) => {
    const id = rows.find((row) => row.email === mailOf(name))?.id
    if (id === undefined) throw new Error(`${name} is nobody`)
    return { id, name, caller: { actor: { type: 'person', id, name }, channel: 'dashboard' } }
  })
}

/**
 * Runs with rows in the outbox: on their way, or paused until a lease ends that nobody works under.
 */
async function countUndelivered(
  db: Db,
  living: readonly ApiProcess[],
): Promise<{ readonly moving: number; readonly paused: number }> {
  const { rows } = await sql<{ moving: number; paused: number }>`
    select count(*) filter (where paused is not true)::int as moving, count(*) filter (where paused)::int as paused
    from (
      select run_id, bool_or(leased_until > fake_time.clock_timestamp()
        and lease_owner <> all(${living.map(({ ctx }) => ctx.processId)})) as paused
      from outbox where delivered_at is null and undeliverable_at is null and run_id is not null
      group by run_id
    ) as runs
  `.execute(db)
  return rows[0] ?? { moving: 0, paused: 0 }
}

/** As the API tells it; a process that was killed has also ended its own pool here. */
function isLostConnection(error: unknown): boolean {
  const isOver = error instanceof Error && error.message === 'driver has already been destroyed'
  return isOver || isDatabaseAway(error)
}

export const hours = (count: number): number => count * 60 * minute
