import { Ours } from '../decision/ours.ts'
import { inParallel, monotonicMs, percentiles, round } from '../figures.ts'
import { residentMiB } from '../process-figures.ts'

const waitingRuns = 1000
const looks = 30

/**
 * A thousand waiting runs: memory of API and Temporal worker, the queue page, and starting
 * everything again.
 */
export async function benchWaiting(): Promise<object> {
  await using ours = await Ours.start()
  const empty = await memory(ours)
  const began = monotonicMs()
  await inParallel(Array.from({ length: waitingRuns }), 8, () => ours.startRun('one', 'go'))
  const startedPerSecond = waitingRuns / ((monotonicMs() - began) / 1000)
  const full = await memory(ours)
  const queuePageMs = await queuePage(ours)
  const restarting = monotonicMs()
  await ours.installation.restart()
  const restartMs = monotonicMs() - restarting
  return {
    waitingRuns,
    startedPerSecond: round(startedPerSecond),
    apiMiB: { empty: empty.api, full: full.api },
    temporalWorkerMiB: { empty: empty.worker, full: full.worker },
    queuePageMs,
    restartMs: round(restartMs),
  }
}

async function memory(ours: Ours): Promise<{ api: number; worker: number }> {
  return {
    api: await residentMiB(await ours.installation.pidOf('api')),
    worker: await residentMiB(await ours.installation.pidOf('temporal-worker')),
  }
}

async function queuePage(ours: Ours): Promise<{ p50: number; p95: number }> {
  const grace = await ours.installation.signIn('grace@example.com')
  const samples: number[] = []
  for (let look = 0; look < looks; look += 1) {
    const sent = monotonicMs()
    await grace.get('/v1/requests?state=pending&mine=true&limit=50')
    samples.push(monotonicMs() - sent)
  }
  return percentiles(samples)
}
