import { Floor } from '../floor/floor.ts'
import { inParallel, monotonicMs, percentiles, round } from '../figures.ts'
import { processorMs } from '../processor-time.ts'
import { Ours, type WaitingRun } from './ours.ts'
import { proseOf } from './transcript-text.ts'

/** Blocks of one kind in turn, ABAB…; the first pair warms up and is not counted. */
const blocks = 4
const decisionsPerBlock = 40
const throughputRuns = 120
const decidedAtOnce = 16
const storedRuns = 20

interface Throughput {
  readonly perSecond: number
  readonly cpuMs: number
}

/**
 * From a decision to the first line of the tool, against a bare Temporal signal-to-activity workflow in the same run,
 * on the same server; what both cost in processor time; history and bytes a waiting run. The floor has no Postgres.
 */
export async function benchDecision(): Promise<object> {
  console.error('starting the service')
  await using ours = await Ours.start()
  await using floor = await Floor.start(await ours.temporalAddress())
  const tool: number[] = []
  const recorded: number[] = []
  const floorMs: number[] = []
  for (let block = 0; block < blocks; block += 1) {
    console.error(`block ${block + 1} of ${blocks}`)
    const mine = await ourBlock(ours)
    const bare = await floorBlock(floor)
    if (block === 0) continue
    tool.push(...mine.map((one) => one.toolMs))
    recorded.push(...mine.map((one) => one.recordedMs))
    floorMs.push(...bare)
  }
  console.error('decisions side by side')
  const throughput = await ourThroughput(ours)
  const floorThroughput = await bareThroughput(ours, floor)
  console.error('history and stored bytes')
  const history = await historyOf(ours)
  const ourTool = percentiles(tool)
  const bareTool = percentiles(floorMs)
  return {
    decisionToToolMs: ourTool,
    floorMs: bareTool,
    ratioP50: round(ourTool.p50 / bareTool.p50),
    recordedMs: percentiles(recorded),
    decisionsPerSecond: round(throughput.perSecond),
    floorDecisionsPerSecond: round(floorThroughput.perSecond),
    cpuMsPerDecision: round(throughput.cpuMs),
    floorCpuMsPerDecision: round(floorThroughput.cpuMs),
    historyEventsPerStep: history.events,
    historyBytesPerStep: Math.round(history.bytes),
    storedBytesPerWaitingRun: {
      small: await storedPerRun(ours, 4 * 1024),
      large: await storedPerRun(ours, 200 * 1024),
    },
  }
}

async function ourBlock(ours: Ours) {
  const runs = await inParallel(Array.from({ length: decisionsPerBlock }), 8, () =>
    ours.startRun('one', 'go'),
  )
  const decided = []
  for (const run of runs) decided.push(await ours.decide(run))
  return decided
}

async function floorBlock(floor: Floor): Promise<number[]> {
  const runs = await inParallel(Array.from({ length: decisionsPerBlock }), 8, () =>
    floor.startRun(),
  )
  const decided = []
  for (const run of runs) decided.push((await floor.decide(run)).ms)
  return decided
}

async function ourThroughput(ours: Ours): Promise<Throughput> {
  const runs = await inParallel(Array.from({ length: throughputRuns }), 8, () =>
    ours.startRun('one', 'go'),
  )
  const pids = await serverAndWorker(ours)
  return throughput(pids, runs, (run: WaitingRun) => ours.decide(run))
}

async function bareThroughput(ours: Ours, floor: Floor): Promise<Throughput> {
  const runs = await inParallel(Array.from({ length: throughputRuns }), 8, () => floor.startRun())
  const [server = 0] = await serverAndWorker(ours)
  return throughput([server, floor.workerPid], runs, (run) => floor.decide(run))
}

/** Decides all runs side by side: decisions a second up to the last first line, processor time a decision. */
async function throughput<T>(
  pids: readonly number[],
  runs: readonly T[],
  decide: (run: T) => Promise<{ at: number }>,
): Promise<Throughput> {
  const cpuBefore = await processorMs(pids)
  const began = monotonicMs()
  const decided = await inParallel(runs, decidedAtOnce, decide)
  const last = Math.max(...decided.map((one) => one.at))
  const cpuMs = ((await processorMs(pids)) - cpuBefore) / runs.length
  return { perSecond: runs.length / ((last - began) / 1000), cpuMs }
}

async function serverAndWorker(ours: Ours): Promise<number[]> {
  return Promise.all([
    ours.installation.pidOf('temporal'),
    ours.installation.pidOf('temporal-worker'),
  ])
}

async function historyOf(ours: Ours): Promise<{ events: number; bytes: number }> {
  let waiting = await ours.startRun('steps', 'go')
  for (let step = 0; step < 4; step += 1) {
    await ours.decide(waiting)
    waiting = await ours.untilWaiting(waiting.runId)
  }
  await ours.decide(waiting)
  return ours.historyPerStep(waiting.runId)
}

async function storedPerRun(ours: Ours, transcriptBytes: number): Promise<number> {
  const before = await ours.storedBytes()
  await inParallel(Array.from({ length: storedRuns }), 4, () =>
    ours.startRun('one', proseOf(transcriptBytes)),
  )
  return Math.round(((await ours.storedBytes()) - before) / storedRuns)
}
