import { setTimeout as delay } from 'node:timers/promises'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import type { RunDetail } from '#api/schemas/runs/runs.ts'
import type { Transcript } from '#api/schemas/runs/transcript.ts'
import { neededText } from '#domain/deciding/quorum.ts'
import { isEnd, runTransitions } from '#domain/requests/transitions.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { isInteractive } from '../terminal/interactive.ts'
import { type Service, pageUrl } from '../service/service.ts'
import { restLines } from '../text/rest-lines.ts'
import { stateLine } from '../text/state-line.ts'
import { printableLine } from '../text/terminal-text.ts'
import { TranscriptPrinter } from '../text/transcript-text.ts'
import { waitingLines } from '../text/waiting-lines.ts'
import { terminalColumns } from '../text/wrap.ts'
import { decideByKey } from './decide-by-key.ts'
import { OutputReader } from './read-output.ts'
import { jsonText } from '../terminal/json-text.ts'

const pollEveryMs = 500

interface Watch {
  readonly service: Service
  /** whether the person at the terminal is asked */
  readonly asks: boolean
  /** prints a line of progress */
  readonly print: (line: string) => void
  /** requests that were offered for a decision here */
  readonly offeredKeys: Set<string>
}

/**
 * Prints a run, named by its number or id, until it ends or waits. If the person at the terminal
 * may decide, it asks them here; without a terminal it never asks. With `json`, it does not ask,
 * the progress is on standard error, and the run is printed at the end. Exit codes: 0 completed or
 * answered, 1 failed or waiting for input, 3 waiting for somebody else, 4 a call was denied.
 */
export async function watchRun(
  service: Service,
  reference: string,
  { json }: { readonly json: boolean },
): Promise<ExitCode> {
  const { id } = await service.call('getRun', { params: { id: reference } })
  const asks = isInteractive() && !json
  const print = (line: string): void => (json ? console.error(line) : console.log(line))
  const code = await watch({ service, asks, print, offeredKeys: new Set() }, id)
  if (json) console.log(jsonText(await service.call('getRun', { params: { id } })))
  return code
}

async function watch(of: Watch, runId: string): Promise<ExitCode> {
  const { service, print } = of
  const printer = new TranscriptPrinter(terminalColumns)
  const reader = new OutputReader(service, terminalColumns)
  let denied = false
  for (;;) {
    const run = await service.call('getRun', { params: { id: runId } })
    const transcript = await service.call('getTranscript', { params: { id: runId } })
    const output = await reader.next(transcript)
    for (const line of printer.next(transcript, output)) print(line)
    denied ||= hasDenial(transcript)
    switch (run.state) {
      case 'completed':
        print('completed')
        return denied ? exitCodes.denied : exitCodes.done
      case 'failed':
      case 'cancelled':
        console.error(stateLine(run))
        return run.failure?.code === 'start_denied' ? exitCodes.denied : exitCodes.failed
      case 'waiting_for_input':
        if (run.rest === 'answered') {
          print(['answered', ...restLines(run)].join('\n'))
          return denied ? exitCodes.denied : exitCodes.done
        }
        console.error(
          [
            printableLine(run.failure?.message ?? 'The run waits for a message.'),
            ...restLines(run),
          ].join('\n'),
        )
        return denied ? exitCodes.denied : exitCodes.failed
      case 'waiting_for_approval': {
        const decided = await decideInPlace(of, runId)
        if (!decided) return exitCodes.pending
        break
      }
      case 'running': {
        const code = await watchChildren(of, run)
        if (code !== null) return code
        break
      }
    }
    await delay(pollEveryMs)
  }
}

/** Whether a call of a transcript was denied. */
export function hasDenial(transcript: Transcript): boolean {
  return transcript.items.some((item) => item.calls?.some((call) => call.result?.type === 'denied'))
}

/**
 * A run that has delegated work continues when its child runs do, so their requests are decided
 * here too.
 */
async function watchChildren(of: Watch, run: RunDetail): Promise<ExitCode | null> {
  const { service } = of
  for (const { runId, state } of run.children) {
    if (isEnd(runTransitions, state)) continue
    const child = await service.call('getRun', { params: { id: runId } })
    if (child.state === 'waiting_for_input') {
      const why = printableLine(
        child.failure?.message ?? `The run of ${child.worker} waits for a message.`,
      )
      console.error(`${why}\ncountersign runs message ${runId} TEXT`)
      return exitCodes.failed
    }
    if (child.state === 'waiting_for_approval' && !(await decideInPlace(of, runId))) {
      return exitCodes.pending
    }
    const below = await watchChildren(of, child)
    if (below !== null) return below
  }
  return null
}

/** Asks about each request that the person may decide. False: the others wait for somebody else. */
async function decideInPlace(
  { service, asks, print, offeredKeys }: Watch,
  runId: string,
): Promise<boolean> {
  // The oldest turn first and its calls in order, so that "deny and stop" stops the later ones.
  const { items } = await service.call('listRequests', {
    query: { state: 'pending', sort: 'age', runId },
  })
  if (items.length === 0) return true
  const mine = items.filter((item) => item.eligibility.canDecide && !offeredKeys.has(keyOf(item)))
  if (!asks || mine.length === 0) {
    for (const item of items) {
      const url = pageUrl(service, `/requests/${item.id}`)
      const where = { who: neededText(item.quorum), url, columns: terminalColumns() }
      for (const line of waitingLines(item, where)) print(line)
    }
    return false
  }
  for (const item of mine) {
    offeredKeys.add(keyOf(item))
    const request = await service.call('getRequest', { params: { id: item.id } })
    if ((await decideByKey(service, request)) === 'quit') return false
  }
  return true
}

/** The revision of a request: after a change the person is asked about it again. */
function keyOf({ id, revision }: RequestItem): string {
  return `${id} ${revision}`
}

/** The meaning of the exit codes of a watched run (api.md, command line). */
export const watchCodes =
  'Exit codes: 0 completed or answered, 1 failed, 3 waits for somebody else, 4 a call was denied'
