import { answerWithin, maxServerAnswerMs, NoAnswerError } from '#delivery/answer-within.ts'
import { problemOfOutage } from '#services/core/outage-problem.ts'

/**
 * The result of a question to the database for `/metrics`, which is asked while the database hangs
 * too. Rejects with the problem of a database that is away when no answer came within seconds.
 */
export async function withinSeconds<T>(work: Promise<T>): Promise<T> {
  try {
    return await answerWithin(maxServerAnswerMs, work)
  } catch (error) {
    throw error instanceof NoAnswerError ? problemOfOutage('database_away') : error
  }
}
