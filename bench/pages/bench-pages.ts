import type { TestSession } from '#test/harness/installation/test-session.ts'
import { Ours } from '../decision/ours.ts'
import { inParallel, rest, round } from '../figures.ts'
import { processorMs } from '../process-figures.ts'

/** The person of each session; a session has at most twenty streams. */
const readers = ['ada', 'grace', 'ada', 'grace', 'ada']
const pagesPerSession = 20
/**
 * The number of rounds. Those with and without pages take turns; the first pair is not counted.
 */
const rounds = 5
const decisionsPerRound = 40
/** The time in which the API finishes its work after the runs have ended. */
const settleMs = 1500

/**
 * Measures the processor time of the API per decision, until its run has ended: with no open page,
 * and with a hundred open pages, in alternation.
 */
export async function benchPages(): Promise<object> {
  await using ours = await Ours.start()
  const sessions: TestSession[] = []
  for (const name of readers) sessions.push(await ours.installation.signIn(`${name}@example.com`))
  const alone: number[] = []
  const beside: number[] = []
  const bytes: number[] = []
  for (let count = 0; count < rounds; count += 1) {
    alone.push(await apiMsPerDecision(ours))
    await using pages = await OpenPages.open(sessions)
    beside.push(await apiMsPerDecision(ours))
    bytes.push(pages.bytes)
  }
  const openPages = readers.length * pagesPerSession
  const apiMsAlone = meanOf(alone.slice(1))
  const apiMsBesidePages = meanOf(beside.slice(1))
  return {
    openPages,
    apiMsAlone,
    apiMsBesidePages,
    ratio: round(apiMsBesidePages / apiMsAlone),
    bytesPerPageAndDecision: round(meanOf(bytes.slice(1)) / openPages / decisionsPerRound),
  }
}

/** Processor time of the API, in milliseconds, for each of a round of decisions. */
async function apiMsPerDecision(ours: Ours): Promise<number> {
  const runs = await inParallel(Array.from({ length: decisionsPerRound }), 4, () =>
    ours.startRun('one', 'go'),
  )
  await rest(settleMs)
  const api = await ours.installation.pidOf('api')
  const before = await processorMs([api])
  await inParallel(runs, 4, (run) => ours.record(run))
  await ours.untilEnded(runs.map(({ runId }) => runId))
  await rest(settleMs)
  return ((await processorMs([api])) - before) / decisionsPerRound
}

/** The event streams of open pages. Their events are read and counted. */
class OpenPages implements AsyncDisposable {
  readonly #streams: readonly ReadableStreamDefaultReader<Uint8Array>[]
  readonly #reading: Promise<unknown>
  bytes = 0

  private constructor(streams: readonly ReadableStreamDefaultReader<Uint8Array>[]) {
    this.#streams = streams
    this.#reading = Promise.all(streams.map((stream) => this.#read(stream)))
  }

  static async open(sessions: readonly TestSession[]): Promise<OpenPages> {
    const pages = sessions.flatMap((session) =>
      Array.from({ length: pagesPerSession }, () => session),
    )
    return new OpenPages(
      await inParallel(pages, 4, async (session) => {
        const { status, body } = await session.open('/v1/events')
        if (status !== 200 || body === null) throw new Error(`/v1/events: ${status}`)
        return body.getReader()
      }),
    )
  }

  async #read(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    for (;;) {
      const { done, value } = await stream.read()
      if (done) return
      this.bytes += value.length
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.cancel()))
    await this.#reading
  }
}

function meanOf(samples: readonly number[]): number {
  return round(samples.reduce((sum, sample) => sum + sample, 0) / samples.length)
}
