import { Problem } from '#domain/problem.ts'

/**
 * The refusal of what rests on a row that was changed, made or removed by other means than the
 * service (security.md 29).
 */
export function tampered(which: string): Problem {
  return new Problem(
    'tampered',
    `Rows that this rests on were changed in the database by somebody else than the service (${which}). Nothing was decided: look at the audit log, and have the call asked afresh`,
    { which },
  )
}
