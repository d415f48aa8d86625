import { nothingChanged, Problem } from '#domain/problem.ts'
import { databaseOutageOf, type DatabaseOutage } from '#store/connection/database-outage.ts'
import { currentRequest } from './current-request.ts'

interface OutageWords {
  readonly what: string
  /** whether it undoes the transaction that meets it, so that the rows are as before */
  readonly undoes: boolean
  readonly remedy: string
  readonly retryAfterSeconds: number
}

/** The sentence for each outage, and the number of seconds after which a caller may try again. */
export const outageWords: Readonly<Record<DatabaseOutage, OutageWords>> = {
  disk_full: {
    what: 'The disk is full',
    undoes: true,
    remedy:
      'free space on the disk of the database or of the data folder. The service then continues by itself',
    retryAfterSeconds: 30,
  },
  disk_read_only: {
    what: 'The disk is read-only',
    undoes: true,
    remedy:
      'make the disk of the database or of the data folder writable. The service then continues by itself',
    retryAfterSeconds: 30,
  },
  too_many_files: {
    what: 'The service has too many files open',
    undoes: true,
    remedy: 'try again in a moment, and raise its limit of open files (ulimit -n) if this lasts',
    retryAfterSeconds: 5,
  },
  database_too_many_files: {
    what: 'The database has too many files open',
    undoes: true,
    remedy:
      'try again in a moment, and raise the limit of open files of Postgres, or its host, if this lasts',
    retryAfterSeconds: 5,
  },
  database_away: {
    what: 'The database does not answer',
    undoes: false,
    remedy: 'try again in a moment',
    retryAfterSeconds: 2,
  },
  database_busy: {
    what: 'The service is busy',
    undoes: true,
    remedy: 'try again in a moment',
    retryAfterSeconds: 1,
  },
  database_slow: {
    what: 'The database took too long',
    undoes: true,
    remedy: 'try again in a moment',
    retryAfterSeconds: 5,
  },
  database_read_only: {
    what: 'The database is read-only at the moment, for example during a failover',
    undoes: false,
    remedy: 'try again in a moment',
    retryAfterSeconds: 5,
  },
}

/** An error that comes from an outage as the problem to answer with; `null`: it comes from none. */
export function outageProblem(error: unknown): Problem | null {
  const outage = databaseOutageOf(error)
  return outage === null ? null : problemOfOutage(outage)
}

/**
 * The problem that a caller gets in an outage. It says that nothing was changed only where that is
 * certain: an earlier part of the same call may have been committed before.
 */
export function problemOfOutage(outage: DatabaseOutage): Problem {
  const { what, undoes, remedy, retryAfterSeconds } = outageWords[outage]
  const hasCommitted = currentRequest.getStore()?.hasCommitted === true
  const isUndone = undoes && !hasCommitted
  const effect = hasCommitted
    ? '. Part of this call may be recorded: look before you repeat it, and '
    : isUndone
      ? ', and nothing was changed: '
      : ': '
  const code = outage === 'disk_full' ? 'disk_full' : 'unavailable'
  return new Problem(code, `${what}${effect}${remedy}`, {
    cause: outage,
    retryAfterSeconds,
    ...(isUndone ? nothingChanged : {}),
  })
}
