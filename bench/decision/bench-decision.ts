import { Floor } from '../floor/floor.ts'
import { inParallel, percentiles, round, rest } from '../figures.ts'
import { Ours } from './ours.ts'
import { measureRecording } from './recording.ts'
import { measureSideBySide } from './side-by-side.ts'
import { proseOf } from './transcript-text.ts'

/**
 * The number of blocks. Ours and the floor take turns; the first pair warms up and is not counted.
 */
const blocks = 4
const decisionsPerBlock = 40

/**
 * Measures the time from a decision to the first line of the tool, beside a bare Temporal workflow
 * (signal, then activity) on the same server in the same run; the processor time of both; and
 * history and bytes of a waiting run. The floor has no Postgres.
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
  const sideBySide = await measureSideBySide(ours, floor)
  console.error('decisions after a rest')
  const paced = await measurePaced(ours, floor)
  console.error('recording alone')
  const recording = await measureRecording(ours)
  console.error('history and stored bytes')
  const history = await historyOf(ours)
  const ourTool = percentiles(tool)
  const bareTool = percentiles(floorMs)
  return {
    decisionToToolMs: ourTool,
    floorMs: bareTool,
    ratioP50: round(ourTool.p50 / bareTool.p50),
    recordedMs: percentiles(recorded),
    ...sideBySide,
    ...paced,
    ...recording,
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
  for (const run of runs) {
    decided.push(await ours.decide(run))
    // Waits, as the floor does, so that no work of this decision overlaps with the next one.
    await ours.untilWorkflowEnded(run)
  }
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

const storedRuns = 20

/** The time after which a workflow whose request waits has nothing more to do, in milliseconds. */
const restMs = 250

/**
 * The events and bytes that one step with an approval adds to the history of a run with five steps.
 * Each decision is sent when the workflow rests, as a person's is: a signal that arrives while an
 * activity ends shares its workflow task or causes one more.
 */
async function historyOf(ours: Ours): Promise<{ events: number; bytes: number }> {
  let run = await ours.startRun('steps', 'go')
  for (let step = 0; step < 4; step += 1) {
    await rest(restMs)
    await ours.decide(run)
    run = await ours.untilWaiting(run.runId)
  }
  await rest(restMs)
  await ours.decide(run)
  return ours.historyPerStep(run.runId)
}

/** The bytes of rows of one more waiting run with a transcript of this size. */
async function storedPerRun(ours: Ours, transcriptBytes: number): Promise<number> {
  const before = await ours.storedBytes()
  await inParallel(Array.from({ length: storedRuns }), 4, () =>
    ours.startRun('one', proseOf(transcriptBytes)),
  )
  return Math.round(((await ours.storedBytes()) - before) / storedRuns)
}

/** How long the server rests before each decision, as it does before a person's click. */
const restsMs = [250, 2000] as const
const decisionsPerRest = 20

interface Spread {
  readonly p50: number
  readonly p95: number
}

/**
 * Measures the time from a decision to the first line of the tool after the server has rested,
 * beside the floor after the same rest. The first decision after each rest warms up and is not
 * counted. The key of each figure is the length of the rest in milliseconds.
 */
async function measurePaced(ours: Ours, floor: Floor): Promise<object> {
  const pacedMs: Record<string, Spread> = {}
  const pacedFloorMs: Record<string, Spread> = {}
  const pacedRatioP50: Record<string, number> = {}
  for (const restMs of restsMs) {
    const mine: number[] = []
    const bare: number[] = []
    for (let count = 0; count <= decisionsPerRest; count += 1) {
      const run = await ours.startRun('one', 'go')
      await rest(restMs)
      const { toolMs } = await ours.decide(run)
      await ours.untilWorkflowEnded(run)
      const floorRun = await floor.startRun()
      await rest(restMs)
      const { ms } = await floor.decide(floorRun)
      if (count === 0) continue
      mine.push(toolMs)
      bare.push(ms)
    }
    const [own, least] = [percentiles(mine), percentiles(bare)]
    pacedMs[restMs] = own
    pacedFloorMs[restMs] = least
    pacedRatioP50[restMs] = round(own.p50 / least.p50)
  }
  return { pacedMs, pacedFloorMs, pacedRatioP50 }
}
