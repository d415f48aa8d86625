import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { Service } from '../service/service.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { sendAnswer, type Answer } from './answer.ts'
import { decisionOutcome, outcomeSentence, readAgain, sendDecision, type Choice } from './decide.ts'

/**
 * Sends the person's decision or answer, and prints its state in one sentence. False: it was
 * refused, for instance because another person decided first, and the terminal says why.
 */
export async function sendChoice(
  service: Service,
  request: RequestDetail,
  choice: Choice | Answer,
): Promise<boolean> {
  try {
    if (choice.decision === 'answer') {
      await sendAnswer(service, request, choice)
      console.log('Recorded. The agent reads it.')
      return true
    }
    const answer = await sendDecision(service, request, choice)
    const present = await readAgain(service, request)
    console.log(outcomeSentence(answer, decisionOutcome(choice), present))
    return true
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    console.error(error.message)
    return false
  }
}
