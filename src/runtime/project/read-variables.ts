import { z } from 'zod'
import { readText } from '../environment.ts'
import type { Environment } from '../environment.ts'

/** A switch: `1` or `true`, `0` or `false`, or nothing. */
export const flag = z
  .enum(['0', '1', 'true', 'false'])
  .optional()
  .transform((text) => text === '1' || text === 'true')

export function wholeNumber(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most)
}

/**
 * The variables that a schema names, validated. Blank ones count as not set. Throws one message that
 * names every variable that is wrong and what would be right.
 */
export function readVariables<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
): z.output<T> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, readText(environment, name)]),
  )
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not valid: ${problems.join('; ')}`)
}
