import { Floor } from '../floor/floor.ts'
import { inParallel, percentiles, round } from '../figures.ts'
import { historyOf, storedPerRun } from './stored-per-run.ts'
import { Ours } from './ours.ts'
import { measurePaced } from './paced.ts'
import { measureRecording } from './recording.ts'
import { measureSideBySide } from './side-by-side.ts'

/** Blocks of one kind in turn, ABAB…; the first pair warms up and is not counted. */
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
    // As with the floor, no work of the earlier decision may overlap with the next one.
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
