import { Floor } from '../floor/floor.ts'
import { Ours } from '../decision/ours.ts'
import { inParallel, rest, round } from '../figures.ts'
import { processorMs } from '../process-figures.ts'

/**
 * The number of rounds. Ours and the floor take turns; the first pair warms up and is not counted.
 */
const rounds = 4
const runsPerRound = 60
/** The time in which workflows finish their work after the last one was started. */
const settleMs = 1000

/**
 * Measures the processor time from the start of a run until its first call waits, by process,
 * beside a bare workflow on the same server that starts and waits for a signal.
 */
export async function benchStart(): Promise<object> {
  await using ours = await Ours.start()
  await using floor = await Floor.start(await ours.temporalAddress())
  const { installation } = ours
  const temporalServer = await installation.pidOf('temporal')
  const ourPids = {
    temporalServer,
    temporalWorker: await installation.pidOf('temporal-worker'),
    api: await installation.pidOf('api'),
    postgres: await installation.pidOf('postgres'),
  }
  const mine: Times[] = []
  const bare: Times[] = []
  for (let count = 0; count < rounds; count += 1) {
    mine.push(await spent(ourPids, () => ours.startRun('one', 'go')))
    bare.push(await spent({ temporalServer, floorWorker: floor.workerPid }, () => floor.startRun()))
  }
  const cpuMsByProcess = perRun(mine.slice(1))
  const floorCpuMsByProcess = perRun(bare.slice(1))
  const cpuMsPerStart = sumOf(cpuMsByProcess)
  const floorCpuMsPerStart = sumOf(floorCpuMsByProcess)
  return {
    cpuMsPerStart,
    floorCpuMsPerStart,
    cpuRatio: round(cpuMsPerStart / floorCpuMsPerStart),
    cpuMsByProcess,
    floorCpuMsByProcess,
  }
}

type Times = Readonly<Record<string, number>>

/** Processor time of a round of starts, by process. */
async function spent(pids: Times, start: () => Promise<unknown>): Promise<Times> {
  const before = await timesOf(pids)
  await inParallel(Array.from({ length: runsPerRound }), 8, start)
  await rest(settleMs)
  const after = await timesOf(pids)
  return Object.fromEntries(
    Object.keys(pids).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]),
  )
}

async function timesOf(pids: Times): Promise<Times> {
  const times: [string, number][] = []
  for (const [name, pid] of Object.entries(pids)) times.push([name, await processorMs([pid])])
  return Object.fromEntries(times)
}

function perRun(samples: readonly Times[]): Times {
  const starts = samples.length * runsPerRound
  return Object.fromEntries(
    Object.keys(samples[0] ?? {}).map((name) => [
      name,
      round(samples.reduce((sum, times) => sum + (times[name] ?? 0), 0) / starts),
    ]),
  )
}

function sumOf(times: Times): number {
  return round(Object.values(times).reduce((sum, ms) => sum + ms, 0))
}
