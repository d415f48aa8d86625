import { Problem } from '#domain/problem.ts'

/** The type of an error whose name is not that of a class. */
const other = '_OTHER'

/**
 * The `error.type` of OpenTelemetry for what ended an operation: a problem's code, the HTTP status
 * of a provider, or the name of the error's class; never a message.
 */
export function errorTypeOf(error: unknown): string {
  if (error instanceof Problem) return error.code
  if (!(error instanceof Error)) return other
  const { cause, name } = error
  for (const one of [error, cause]) {
    if (one instanceof Error && 'statusCode' in one && typeof one.statusCode === 'number') {
      return String(one.statusCode)
    }
  }
  const named = cause instanceof Error ? cause.name : name
  return /^[A-Z]\w{0,59}$/.test(named) ? named : other
}
