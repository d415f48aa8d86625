import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceNames } from '#runtime/supervisor/supervise.ts'
import { approveMany, Ours, type WaitingRun } from '../decision/ours.ts'
import { inParallel, monotonicMs, percentiles, rest, round } from '../figures.ts'
import { Floor } from '../floor/floor.ts'
import { memoryMiB } from '../process-figures.ts'

const defaultRuns = 1000
/** The number of bare workflows whose bytes on disk are counted. */
const floorRuns = 500
const atOnce = 8
const looks = 30
/** The largest number of decisions in one call of the API. */
const perCall = 200
/** The time in which the processes finish writing and free memory after all runs wait. */
const settleMs = 5000

type Counts = Readonly<Record<string, number>>

/**
 * Many runs that wait: memory of each process, bytes on disk beside bare workflows on the same
 * Temporal server, the queue page, a restart of everything, and the time until all of them have
 * ended after it.
 */
export async function benchWaiting({ runs = defaultRuns }: { runs?: number }): Promise<object> {
  await using ours = await Ours.start()
  const emptyMiB = await memoryByProcess(ours)
  const emptyDisk = await bytesOnDisk(ours)
  const began = monotonicMs()
  const waiting = await inParallel(Array.from({ length: runs }), atOnce, () =>
    ours.startRun('one', 'go'),
  )
  const startedPerSecond = runs / ((monotonicMs() - began) / 1000)
  await rest(settleMs)
  const disk = await bytesOnDisk(ours)
  const fullMiB = await memoryByProcess(ours)
  const queuePageMs = await queuePage(ours)
  const floorBytesPerRun = await floorOnDisk(ours)
  const restarting = monotonicMs()
  await ours.installation.restart()
  const restartMs = monotonicMs() - restarting
  await rest(settleMs)
  const restartedMiB = await memoryByProcess(ours)
  return {
    waitingRuns: runs,
    startedPerSecond: round(startedPerSecond),
    memoryMiB: { empty: emptyMiB, full: fullMiB, restarted: restartedMiB },
    diskBytesPerRun: {
      postgres: perRun(disk.postgres - emptyDisk.postgres, runs),
      temporal: perRun(disk.temporal - emptyDisk.temporal, runs),
      floor: floorBytesPerRun,
    },
    queuePageMs,
    restartMs: round(restartMs),
    ...(await endAll(ours, waiting)),
  }
}

/** Approves all, 200 a call, and waits until every run has ended. */
async function endAll(ours: Ours, waiting: readonly WaitingRun[]): Promise<object> {
  const calls = Array.from({ length: Math.ceil(waiting.length / perCall) }, (_, index) =>
    waiting.slice(index * perCall, (index + 1) * perCall),
  )
  const grace = await ours.installation.signIn('grace@example.com')
  const began = monotonicMs()
  for (const call of calls) await approveMany(grace, call)
  const recordedMs = monotonicMs() - began
  for (const call of calls) {
    await ours.untilEnded(
      call.map(({ runId }) => runId),
      waiting.length * 1000,
    )
  }
  const endedMs = monotonicMs() - began
  return {
    allRecordedMs: round(recordedMs),
    allEndedMs: round(endedMs),
    endedPerSecond: round(waiting.length / (endedMs / 1000)),
  }
}

async function memoryByProcess(ours: Ours): Promise<Counts> {
  const memory: [string, number][] = []
  for (const name of serviceNames) {
    memory.push([name, await memoryMiB([await ours.installation.pidOf(name)])])
  }
  return Object.fromEntries(memory)
}

/** The size of the databases of the service and of Temporal, with indexes and free space. */
async function bytesOnDisk(ours: Ours): Promise<{ postgres: number; temporal: number }> {
  const { rows } = await ours.pool.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return { postgres: Number(rows[0]?.bytes), temporal: await temporalBytes(ours) }
}

async function temporalBytes(ours: Ours): Promise<number> {
  const { dataDir } = ours.installation
  const files = (await readdir(dataDir)).filter((name) => /^temporal-.*\.sqlite/.test(name))
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dataDir, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The bytes on disk of a waiting bare workflow on the same server. */
async function floorOnDisk(ours: Ours): Promise<number> {
  await using floor = await Floor.start(await ours.temporalAddress())
  const before = await temporalBytes(ours)
  await inParallel(Array.from({ length: floorRuns }), atOnce, () => floor.startRun())
  await rest(settleMs)
  return perRun((await temporalBytes(ours)) - before, floorRuns)
}

function perRun(bytes: number, runs: number): number {
  return Math.round(bytes / runs)
}

async function queuePage(ours: Ours): Promise<{ p50: number; p95: number }> {
  const grace = await ours.installation.signIn('grace@example.com')
  const samples: number[] = []
  for (let look = 0; look < looks; look += 1) {
    const sent = monotonicMs()
    await grace.get('/v1/requests?state=pending&mine=true&limit=50')
    samples.push(monotonicMs() - sent)
  }
  return percentiles(samples)
}
