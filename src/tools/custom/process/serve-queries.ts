import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { boundedLines } from '../bounded-lines.ts'
import type { FromMessage, ProcessLoad } from '../tool-protocol.ts'
import { boundedErrorMessage } from './answer-query.ts'

/** Queries come on descriptor 3, answers go to 4. */
const [queries, answers] = [3, 4] as const
const maxQueryBytes = 64 * 1024 * 1024

/**
 * Answers the parent's queries until it closes them. `signal` fires when the query is cancelled; an
 * error of `answer` goes to the parent as a sentence.
 */
export async function serveQueries<Query>(
  answer: (query: Query, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  let controller = new AbortController()
  // An unhandled rejection is ignored, because its call has been, or will be, answered.
  process.on('unhandledRejection', (error) => console.error(error))
  const take = async (line: string): Promise<void> => {
    const message = JSON.parse(line) as Query & { readonly id: number; readonly do: string }
    if (message.do === 'abort') {
      controller.abort(new Error('The call was cancelled or its time is up'))
      return
    }
    const { id } = message
    sendToParent({ accepted: id })
    controller = new AbortController()
    try {
      const value = (await answer(message, controller.signal)) ?? null
      sendToParent({ id, ok: true, value, left: leftBehind() })
    } catch (error) {
      sendToParent({ id, ok: false, problem: boundedErrorMessage(error), left: leftBehind() })
    }
  }
  const lines = boundedLines(new Socket({ fd: queries, readable: true }), maxQueryBytes)
  for await (const line of lines) void take(line)
}

/** Written synchronously, so that an answer is sent before anything that follows. */
export function sendToParent(message: FromMessage): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let at = 0; at < bytes.length;) at += writeSync(answers, bytes, at)
}

function leftBehind(): ProcessLoad {
  return {
    memoryBytes: process.memoryUsage.rss(),
    resources: process.getActiveResourcesInfo().length,
  }
}
