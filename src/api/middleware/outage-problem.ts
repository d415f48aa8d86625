import { answerWithin, maxServerAnswerMs, NoAnswerError } from '#delivery/answer-within.ts'
import { Problem } from '#domain/problem.ts'
import { databaseOutageOf, type DatabaseOutage } from '#store/connection/database-outage.ts'

/** What a caller is told of each outage, and after how many seconds to ask again. */
export const outageSentences: Readonly<
  Record<DatabaseOutage, { readonly detail: string; readonly retryAfterSeconds: number }>
> = {
  disk_full: {
    detail:
      'The disk is full, and nothing was changed: free space on the disk of the database or of the data folder. The service then continues by itself',
    retryAfterSeconds: 30,
  },
  database_away: {
    detail: 'The database does not answer: try again in a moment',
    retryAfterSeconds: 2,
  },
  database_busy: {
    detail: 'The service is busy, and nothing was changed: try again in a moment',
    retryAfterSeconds: 1,
  },
  database_slow: {
    detail: 'The database took too long, and nothing was changed: try again in a moment',
    retryAfterSeconds: 5,
  },
  database_read_only: {
    detail:
      'The database is read-only at the moment, for example during a failover: try again in a moment',
    retryAfterSeconds: 5,
  },
}

/** An error that comes from an outage as the problem to answer with; `null`: it comes from none. */
export function outageProblem(error: unknown): Problem | null {
  const outage = databaseOutageOf(error)
  return outage === null ? null : problemOfOutage(outage)
}

/** What a caller is answered in an outage. */
export function problemOfOutage(outage: DatabaseOutage): Problem {
  const { detail, retryAfterSeconds } = outageSentences[outage]
  const code = outage === 'disk_full' ? 'disk_full' : 'unavailable'
  return new Problem(code, detail, { cause: outage, retryAfterSeconds })
}

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
