import { serviceNames } from '#runtime/supervisor/supervise.ts'
import { Ours, type WaitingRun } from '../decision/ours.ts'
import { inParallel, monotonicMs, percentiles, rest, round } from '../figures.ts'

const pairs = 6
const waitingRuns = 50
/** Long enough for the tool of a run to be halfway through. */
const insideToolMs = 500
/** The time in which the processes finish their remaining work after all of them serve again. */
const settleMs = 2000

/**
 * Measures the waiting times after a process ended: the first decision of a new Temporal worker
 * beside the next one, all of 50 approved calls after `kill -9` of every process, the outcome check
 * of an interrupted call, and the start of an existing installation.
 */
export async function benchRestart(): Promise<object> {
  await using ours = await Ours.start()
  await ours.decide(await ours.startRun('one', 'go'))
  const decisions = await decisionsAfterRestart(ours)
  const allDoneAfterKillMs = await killEverything(ours)
  const askedAfterKillMs = await killInsideTool(ours)
  const stopping = monotonicMs()
  let starting = 0
  await ours.installation.restart(async () => {
    starting = monotonicMs()
  })
  return {
    ...decisions,
    waitingRuns,
    allDoneAfterKillMs: round(allDoneAfterKillMs),
    askedAfterKillMs: round(askedAfterKillMs),
    stopMs: round(starting - stopping),
    startMs: round(monotonicMs() - starting),
  }
}

/**
 * The time from a decision to the tool's first line: the first decision of a new Temporal worker,
 * and the next one.
 */
async function decisionsAfterRestart(ours: Ours): Promise<object> {
  const { installation } = ours
  const firstMs: number[] = []
  const nextMs: number[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const runs = [await ours.startRun('one', 'go'), await ours.startRun('one', 'go')]
    const workerPid = await installation.pidOf('temporal-worker')
    process.kill(workerPid, 'SIGTERM')
    await installation.untilBack('temporal-worker', workerPid)
    await rest(settleMs)
    for (const [run, times] of [
      [runs[0], firstMs],
      [runs[1], nextMs],
    ] as const) {
      if (run === undefined) continue
      times.push((await ours.decide(run)).toolMs)
      await ours.untilWorkflowEnded(run)
      await rest(settleMs)
    }
  }
  return {
    firstDecisionMs: percentiles(firstMs),
    nextDecisionMs: percentiles(nextMs),
  }
}

/** Kills every process at once, decides as soon as the API answers, and waits for all calls. */
async function killEverything(ours: Ours): Promise<number> {
  const starts = Array.from({ length: waitingRuns })
  const runs = await inParallel(starts, 8, () => ours.startRun('one', 'go'))
  // Until the last workflows wait too: a turn that was interrupted waits ten seconds more for its
  // heartbeat timeout in Temporal.
  await rest(settleMs)
  const killed = monotonicMs()
  await Promise.all(serviceNames.map((name) => ours.installation.killNine(name)))
  await inParallel(runs, 8, (run) => untilRecorded(ours, run))
  await ours.untilEnded(runs.map((run) => run.runId))
  return monotonicMs() - killed
}

/** The time from `kill -9` of the Temporal worker inside a tool to the outcome check. */
async function killInsideTool(ours: Ours): Promise<number> {
  const run = await ours.startRun('slow', 'go')
  await untilRecorded(ours, run)
  await ours.untilStarted(run)
  await rest(insideToolMs)
  const killed = monotonicMs()
  await ours.installation.killNine('temporal-worker')
  await ours.untilWaiting(run.runId)
  return monotonicMs() - killed
}

async function untilRecorded(ours: Ours, run: WaitingRun): Promise<void> {
  while (!(await ours.record(run).catch(() => false))) await rest(20)
}
