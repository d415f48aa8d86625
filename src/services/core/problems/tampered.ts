import { Problem } from '#domain/problem.ts'

/**
 * Refuses what depends on a row that was changed, made or removed by other means than the service
 * (security.md 29).
 */
export function tamperedProblem(which: string): Problem {
  return new Problem(
    'tampered',
    `Rows that this decision depends on were changed in the database, and not by the service (${which}). Nothing was decided: check the audit log, and have the call ask again`,
    { which },
  )
}
