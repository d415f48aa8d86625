import type { Floor } from '../floor/floor.ts'
import { inParallel, monotonicMs, round } from '../figures.ts'
import { processorMs } from '../process-figures.ts'
import type { Ours } from './ours.ts'

/**
 * The number of rounds. Ours and the floor take turns; the first pair warms up and is not counted.
 */
const rounds = 4
const runsPerRound = 60
const decidedAtOnce = 16

interface Round {
  readonly perSecond: number
  /** processor time of all decisions of the round, by process */
  readonly cpuMs: Readonly<Record<string, number>>
}

/**
 * Decides many runs at once. Measures decisions per second until the last first line, and processor
 * time per decision until every workflow has ended. "Server and worker", which the budget names,
 * are Temporal's server and the Temporal worker with its tool processes. The API and Postgres,
 * which the floor does not have, are reported separately.
 */
export async function measureSideBySide(ours: Ours, floor: Floor): Promise<object> {
  const mine: Round[] = []
  const bare: Round[] = []
  for (let count = 0; count < rounds; count += 1) {
    mine.push(await ourRound(ours))
    bare.push(await bareRound(ours, floor))
  }
  const ourCpu = cpuPerDecision(mine.slice(1))
  const floorCpu = cpuPerDecision(bare.slice(1))
  const cpuMsPerDecision = sumOf(ourCpu, ['temporalServer', 'temporalWorker'])
  const floorCpuMsPerDecision = sumOf(floorCpu, ['temporalServer', 'floorWorker'])
  return {
    decisionsPerSecond: medianRate(mine.slice(1)),
    floorDecisionsPerSecond: medianRate(bare.slice(1)),
    cpuMsPerDecision,
    floorCpuMsPerDecision,
    cpuRatio: round(cpuMsPerDecision / floorCpuMsPerDecision),
    cpuMsByProcess: ourCpu,
    cpuMsOfEverything: sumOf(ourCpu, Object.keys(ourCpu)),
    floorCpuMsByProcess: floorCpu,
  }
}

async function ourRound(ours: Ours): Promise<Round> {
  const runs = await inParallel(Array.from({ length: runsPerRound }), 8, () =>
    ours.startRun('one', 'go'),
  )
  const { installation } = ours
  const pids = {
    temporalServer: await installation.pidOf('temporal'),
    temporalWorker: await installation.pidOf('temporal-worker'),
    api: await installation.pidOf('api'),
    postgres: await installation.pidOf('postgres'),
  }
  return measureRound(pids, async () => {
    const decided = await inParallel(runs, decidedAtOnce, (run) => ours.decide(run))
    return { decided, untilEnded: ours.untilEnded(runs.map((run) => run.runId)) }
  })
}

async function bareRound(ours: Ours, floor: Floor): Promise<Round> {
  const runs = await inParallel(Array.from({ length: runsPerRound }), 8, () => floor.startRun())
  const temporalServer = await ours.installation.pidOf('temporal')
  // A decision of the floor ends with its workflow.
  return measureRound({ temporalServer, floorWorker: floor.workerPid }, async () => {
    const decided = await inParallel(runs, decidedAtOnce, (run) => floor.decide(run))
    return { decided, untilEnded: Promise.resolve() }
  })
}

async function measureRound(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<{ decided: readonly { at: number }[]; untilEnded: Promise<void> }>,
): Promise<Round> {
  const before = await timesOf(pids)
  const began = monotonicMs()
  const { decided, untilEnded } = await work()
  await untilEnded
  const after = await timesOf(pids)
  const last = Math.max(...decided.map((one) => one.at))
  return {
    perSecond: decided.length / ((last - began) / 1000),
    cpuMs: Object.fromEntries(
      after.map(([name, ms], index) => [name, ms - (before[index]?.[1] ?? 0)]),
    ),
  }
}

async function timesOf(pids: Readonly<Record<string, number>>): Promise<[string, number][]> {
  const times: [string, number][] = []
  for (const [name, pid] of Object.entries(pids)) times.push([name, await processorMs([pid])])
  return times
}

function cpuPerDecision(samples: readonly Round[]): Record<string, number> {
  const names = Object.keys(samples[0]?.cpuMs ?? {})
  const decisions = samples.length * runsPerRound
  const sum = (name: string): number =>
    samples.reduce((total, { cpuMs }) => total + (cpuMs[name] ?? 0), 0)
  return Object.fromEntries(names.map((name) => [name, round(sum(name) / decisions)]))
}

function sumOf(cpu: Readonly<Record<string, number>>, names: readonly string[]): number {
  return round(names.reduce((sum, name) => sum + (cpu[name] ?? 0), 0))
}

function medianRate(samples: readonly Round[]): number {
  const rates = samples.map((one) => one.perSecond).toSorted((left, right) => left - right)
  return round(rates[Math.floor(rates.length / 2)] ?? Number.NaN)
}
