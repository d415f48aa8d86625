import { inParallel } from '../figures.ts'
import type { Ours } from './ours.ts'
import { proseOf } from './transcript-text.ts'

const storedRuns = 20

/** The events and bytes that one gated step adds to the history of a run with five steps. */
export async function historyOf(ours: Ours): Promise<{ events: number; bytes: number }> {
  let run = await ours.startRun('steps', 'go')
  for (let step = 0; step < 4; step += 1) {
    await ours.decide(run)
    run = await ours.untilWaiting(run.runId)
  }
  await ours.decide(run)
  return ours.historyPerStep(run.runId)
}

/** The bytes of rows of one more waiting run with a transcript of this size. */
export async function storedPerRun(ours: Ours, transcriptBytes: number): Promise<number> {
  const before = await ours.storedBytes()
  await inParallel(Array.from({ length: storedRuns }), 4, () =>
    ours.startRun('one', proseOf(transcriptBytes)),
  )
  return Math.round(((await ours.storedBytes()) - before) / storedRuns)
}
