import type { DecisionAnswer } from '#api/schemas/requests/decisions.ts'
import type { DecisionOutcome } from '#domain/deciding/waits-for.ts'
import { ApiRefusal, callApi } from '../../../api/call-api.ts'
import { sentenceOfAnswer, stageSentence } from './stage-sentence.ts'

/**
 * The sentence for a decision just recorded. Reads the request again, because other decisions of
 * its turn may have been recorded since the person opened it. If the request cannot be read, the
 * sentence is made of the answer alone.
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
    return sentenceOfAnswer(answer, decided)
  }
}
