import { Problem } from '#domain/problem.ts'

/** The refusal for something that does not exist, or that its reader may not see. */
export function missingProblem(what: 'call' | 'request' | 'run', reference: string): Problem {
  return new Problem('not_found', `There is no ${what} ${reference.slice(0, 80)} that you may see`)
}
