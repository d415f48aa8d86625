import { setTimeout as delay } from 'node:timers/promises'
import type { RequestDetail, RequestList } from '../../api/schemas/requests.ts'
import type { RunDetail } from '../../api/schemas/runs.ts'
import type { Transcript } from '../../api/schemas/transcript.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { isInteractive } from '../interactive.ts'
import type { Service } from '../service/service.ts'
import { ServiceProblem } from '../service/service.ts'
import { printable } from '../text/terminal-text.ts'
import { TranscriptPrinter } from '../text/transcript-text.ts'
import { askDecision } from './ask-decision.ts'
import { outcomeSentence, sendDecision } from './decide.ts'

const lookEveryMs = 500

/**
 * Prints a run as it goes until it ends or stands still. When the person at the terminal may decide, asks in
 * place; without a terminal never. Exit codes: 0 completed, 1 failed or waiting for input, 3 waiting for
 * somebody else, 4 something was denied.
 */
export async function watchRun(service: Service, runId: string): Promise<ExitCode> {
  const printer = new TranscriptPrinter()
  const left = new Set<string>()
  let denied = false
  for (;;) {
    const run = await service.get<RunDetail>(`/v1/runs/${runId}`)
    const transcript = await service.get<Transcript>(`/v1/runs/${runId}/transcript`)
    for (const line of printer.next(transcript)) console.log(line)
    denied ||= hasDenial(transcript)
    switch (run.state) {
      case 'completed':
        console.log(`completed${run.output === undefined ? '' : `: ${printable(run.output)}`}`)
        return denied ? exitCodes.denied : exitCodes.done
      case 'failed':
      case 'cancelled':
        console.error(`${run.state}${run.failure === undefined ? '' : `: ${run.failure.message}`}`)
        return exitCodes.failed
      case 'waiting_for_input':
        console.error(
          `${run.failure?.message ?? 'The run waits for a message.'}\ncountersign runs message ${runId} TEXT`,
        )
        return denied ? exitCodes.denied : exitCodes.failed
      case 'waiting_for_approval': {
        const decided = await decideInPlace(service, runId, left)
        if (!decided) return exitCodes.pending
        break
      }
      case 'running':
        break
    }
    await delay(lookEveryMs)
  }
}

function hasDenial(transcript: Transcript): boolean {
  return transcript.items.some((item) => item.calls?.some((call) => call.result?.type === 'denied'))
}

/** Asks about each request the person may decide. False: what is left waits for somebody else. */
async function decideInPlace(service: Service, runId: string, left: Set<string>): Promise<boolean> {
  const { items } = await service.get<RequestList>(`/v1/requests?state=pending&runId=${runId}`)
  if (items.length === 0) return true
  const mine = items.filter((item) => item.eligibility.canDecide && !left.has(item.id))
  if (!isInteractive() || mine.length === 0) {
    for (const item of items) {
      console.log(
        `#${item.number} ${printable(item.title)} waits for ${item.quorum.text}: ${service.url}/requests/${item.id}`,
      )
    }
    return false
  }
  for (const item of mine) {
    const request = await service.get<RequestDetail>(`/v1/requests/${item.id}`)
    const asked = await askDecision(request)
    if (asked === 'quit') return false
    if (asked === 'skip') left.add(item.id)
    else await decide(service, request, asked)
  }
  return true
}

async function decide(
  service: Service,
  request: RequestDetail,
  choice: Parameters<typeof sendDecision>[2],
): Promise<void> {
  try {
    console.log(outcomeSentence(await sendDecision(service, request, choice)))
  } catch (error) {
    // Somebody was faster, or it changed: said, and the next look shows what is true.
    if (!(error instanceof ServiceProblem)) throw error
    console.error(error.message)
  }
}
