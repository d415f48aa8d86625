import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import { ApiRefusal, callApi } from '../../../api/call-api.ts'
import { type DecisionOutcome, stageSentence } from './stage-sentence.ts'

/**
 * The sentence for a decision just recorded. The request is read again: other decisions of its turn
 * may have been recorded since the person opened it. Where it cannot be read, only what is known is
 * said.
 */
export async function sentenceNow(
  answer: DecisionAnswer,
  decided: DecisionOutcome,
): Promise<string> {
  try {
    const request = await callApi('getRequest', { params: { id: answer.requestId } })
    return stageSentence(answer, decided, request, false)
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    return 'Recorded.'
  }
}
