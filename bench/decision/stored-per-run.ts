import { inParallel, rest } from '../figures.ts'
import type { Ours } from './ours.ts'
import { proseOf } from './transcript-text.ts'

const storedRuns = 20

/** Until a workflow whose request waits has nothing more to do, in milliseconds. */
const restMs = 250

/**
 * The events and bytes that one gated step adds to the history of a run with five steps. Each
 * decision comes when the workflow rests, as a person's does: a signal that comes while an activity
 * still ends shares its workflow task, or makes one more.
 */
export async function historyOf(ours: Ours): Promise<{ events: number; bytes: number }> {
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
export async function storedPerRun(ours: Ours, transcriptBytes: number): Promise<number> {
  const before = await ours.storedBytes()
  await inParallel(Array.from({ length: storedRuns }), 4, () =>
    ours.startRun('one', proseOf(transcriptBytes)),
  )
  return Math.round(((await ours.storedBytes()) - before) / storedRuns)
}
