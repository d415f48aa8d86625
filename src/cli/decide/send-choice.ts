import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { Service } from '../service/service.ts'
import { sendAnswer, type Answer } from './answer.ts'
import { decisionOutcome, outcomeSentence, readAgain, sendDecision, type Choice } from './decide.ts'

/** Sends the person's decision or answer. Returns its state in one sentence. */
export async function sendChoice(
  service: Service,
  request: RequestDetail,
  choice: Choice | Answer,
): Promise<string> {
  if (choice.decision === 'answer') {
    await sendAnswer(service, request, choice)
    return 'Recorded. The agent reads it.'
  }
  const answer = await sendDecision(service, request, choice)
  return outcomeSentence(answer, decisionOutcome(choice), await readAgain(service, request))
}
