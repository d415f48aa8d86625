import type { Floor } from '../floor/floor.ts'
import { percentiles, rest, round } from '../figures.ts'
import type { Ours } from './ours.ts'

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
export async function measurePaced(ours: Ours, floor: Floor): Promise<object> {
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
