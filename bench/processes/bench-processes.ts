import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { TestSession } from '#test/harness/installation/test-session.ts'
import { type Cluster, startCluster } from '../../scripts/cluster/start-cluster.ts'
import { benchProject } from '../decision/bench-project.ts'
import { inParallel, monotonicMs, rest, round } from '../figures.ts'
import { processorMs } from '../process-figures.ts'

/** The numbers of API processes; there are as many Temporal workers. */
const sizes = [1, 2, 4]
/** The first round of each size warms up and is not counted. */
const rounds = 3
const runsPerRound = 120
const callers = 16
const withinMs = 300_000

/**
 * Measures the production setup with one, two and four API processes and as many Temporal workers:
 * runs started until they wait, and decided until they have ended, a second, with the processor
 * time of each kind of process.
 */
export async function benchProcesses(): Promise<object> {
  const figures: Record<string, object> = {}
  for (const size of sizes) figures[`with${size}`] = await measure(size)
  return figures
}

async function measure(size: number): Promise<object> {
  const folder = await writeProject()
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const cluster = await startCluster({
    project: folder,
    environment: process.env,
    apis: size,
    workers: size,
    log: () => undefined,
  })
  undo.defer(() => cluster.stop())
  const pool = new pg.Pool({ connectionString: cluster.databaseUrl, max: 4 })
  undo.defer(() => pool.end())
  const starters = await signInAtEach(cluster, 'ada@example.com')
  const deciders = await signInAtEach(cluster, 'grace@example.com')
  const starts: Phase[] = []
  const decisions: Phase[] = []
  for (let count = 0; count < rounds; count += 1) {
    const runIds: string[] = []
    starts.push(
      await phase(cluster, async () => {
        const started = await inParallel(placesOfRound(), callers, async (place) => {
          const answer = await ofPlace(starters, place).post('/v1/runs', {
            worker: 'one',
            input: 'go',
          })
          if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
          return String(answer.body['id'])
        })
        runIds.push(...started)
        await untilCount(pool, waitingOf, runIds)
      }),
    )
    const { rows } = await pool.query<{ id: string; digest: string }>(
      'select id, digest from request where run_id = any($1::uuid[])',
      [runIds],
    )
    decisions.push(
      await phase(cluster, async () => {
        await inParallel([...rows.entries()], callers, async ([place, { id, digest }]) => {
          const decision = { decision: 'approve', digest, revision: 1 }
          const path = `/v1/requests/${id}/decisions`
          const answer = await ofPlace(deciders, place).post(path, decision)
          if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
        })
        await untilCount(pool, endedOf, runIds)
      }),
    )
  }
  return { starts: summary(starts.slice(1)), decisions: summary(decisions.slice(1)) }
}

const waitingOf = `select count(*)::integer as count from request
  where run_id = any($1::uuid[]) and state = 'pending'`
const endedOf = `select count(*)::integer as count from run
  where id = any($1::uuid[]) and ended_at is not null`

/** Time by the clock and processor time of each kind of process, in milliseconds. */
interface Phase {
  readonly ms: number
  readonly cpuMs: Readonly<Record<string, number>>
}

async function phase(cluster: Cluster, work: () => Promise<void>): Promise<Phase> {
  const before = await cpuByKind(cluster)
  const began = monotonicMs()
  await work()
  const ms = monotonicMs() - began
  const after = await cpuByKind(cluster)
  const spent = Object.entries(after).map(([kind, now]) => [kind, now - (before[kind] ?? 0)])
  return { ms, cpuMs: Object.fromEntries(spent) as Record<string, number> }
}

async function cpuByKind(cluster: Cluster): Promise<Record<string, number>> {
  const pidsOf = (services: readonly { identity: { pid: number } }[]): number[] =>
    services.map(({ identity }) => identity.pid)
  return {
    apis: await processorMs(pidsOf(cluster.apis)),
    temporalWorkers: await processorMs(pidsOf(cluster.workers)),
    postgres: await processorMs(pidsOf([cluster.postgres])),
    temporal: await processorMs(pidsOf([cluster.temporal])),
  }
}

/** Runs a second, and processor time of each run by kind of process. */
function summary(phases: readonly Phase[]): object {
  const runs = phases.length * runsPerRound
  const sum = (of: (phase: Phase) => number): number =>
    phases.reduce((total, one) => total + of(one), 0)
  const kinds = Object.keys(phases[0]?.cpuMs ?? {})
  return {
    perSecond: round(runs / (sum(({ ms }) => ms) / 1000)),
    cpuMs: Object.fromEntries(
      kinds.map((kind) => [kind, round(sum(({ cpuMs }) => cpuMs[kind] ?? 0) / runs)]),
    ),
  }
}

async function untilCount(pool: pg.Pool, query: string, runIds: readonly string[]): Promise<void> {
  const deadline = monotonicMs() + withinMs
  while (monotonicMs() < deadline) {
    const { rows } = await pool.query<{ count: number }>(query, [runIds])
    if (rows[0]?.count === runIds.length) return
    await rest(50)
  }
  throw new Error(`not all of ${runIds.length} runs came so far`)
}

function signInAtEach(cluster: Cluster, email: string): Promise<TestSession[]> {
  return Promise.all(cluster.apis.map(({ url }) => TestSession.start(url, email, cluster.devToken)))
}

function placesOfRound(): number[] {
  return Array.from({ length: runsPerRound }, (_, index) => index)
}

/** The session for the call at this place: the processes take turns. */
function ofPlace(sessions: readonly TestSession[], place: number): TestSession {
  const session = sessions[place % sessions.length]
  if (session === undefined) throw new Error('no API process')
  return session
}

/** A new folder with the project of the benchmarks, readable for the user that Postgres runs as. */
async function writeProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign processes '))
  await chmod(folder, 0o755)
  for (const [name, text] of Object.entries(benchProject())) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return folder
}
