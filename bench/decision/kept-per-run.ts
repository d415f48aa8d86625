import { inParallel } from '../figures.ts'
import type { Ours } from './ours.ts'
import { proseOf } from './transcript-text.ts'

const storedRuns = 20

/** Events and bytes of history of one gated step, in a run of five. */
export async function historyOf(ours: Ours): Promise<{ events: number; bytes: number }> {
  let waiting = await ours.startRun('steps', 'go')
  for (let step = 0; step < 4; step += 1) {
    await ours.decide(waiting)
    waiting = await ours.untilWaiting(waiting.runId)
  }
  await ours.decide(waiting)
  return ours.historyPerStep(waiting.runId)
}

/** Bytes of rows that one more run keeps which was told so much and waits for its decision. */
export async function storedPerRun(ours: Ours, transcriptBytes: number): Promise<number> {
  const before = await ours.storedBytes()
  await inParallel(Array.from({ length: storedRuns }), 4, () =>
    ours.startRun('one', proseOf(transcriptBytes)),
  )
  return Math.round(((await ours.storedBytes()) - before) / storedRuns)
}
