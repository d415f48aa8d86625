import { isCancel, select, text } from '@clack/prompts'
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { Service } from '../service/service.ts'
import { printableLine } from '../text/terminal-text.ts'

/** An answer to a question of a run, in the person's own words or with one of its choices. */
export interface Answer {
  readonly decision: 'answer'
  readonly text: string
}

/** The choices of a question; empty if it accepts any words. */
function choicesOf(request: RequestDetail): readonly string[] {
  const { choices } = request.presentation.metadata
  if (!Array.isArray(choices)) return []
  return choices.filter((choice) => typeof choice === 'string')
}

/**
 * Asks the person at the terminal for an answer; no choice is preselected. `skip`: they left the
 * question.
 */
export async function askAnswer(
  request: RequestDetail,
  input: Readable,
): Promise<Answer | 'skip' | 'quit'> {
  const choices = choicesOf(request)
  if (choices.length === 0) {
    const answer = await text({ input, message: 'Your answer (Enter for none)' })
    if (isCancel(answer)) return 'quit'
    return answer === undefined || answer.trim() === ''
      ? 'skip'
      : { decision: 'answer', text: answer }
  }
  const index = await select<number>({
    input,
    message: 'Your answer',
    options: [
      { value: -1, label: 'Do not answer now' },
      ...choices.map((choice, value) => ({ value, label: printableLine(choice) })),
    ],
    initialValue: -1,
  })
  if (isCancel(index)) return 'quit'
  const choice = choices[index]
  return choice === undefined ? 'skip' : { decision: 'answer', text: choice }
}

/** Sends an answer, which counts once if it is sent twice. Rejects with the service's sentence. */
export async function sendAnswer(
  service: Service,
  request: Pick<RequestDetail, 'id'>,
  answer: Answer,
): Promise<{ readonly requestId: string; readonly decisionId: string }> {
  return service.call('answerQuestion', {
    params: { id: request.id },
    body: { text: answer.text },
    idempotencyKey: randomUUID(),
  })
}
