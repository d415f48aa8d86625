import { z } from 'zod'
import { readText, type Environment } from '../environment.ts'
import { isIPv4 } from 'node:net'

/** A switch: `1` or `true`, `0` or `false`, or nothing. */
export const flag = z
  .enum(['0', '1', 'true', 'false'])
  .optional()
  .transform((text) => text === '1' || text === 'true')

/** A variable that is a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  return z.coerce.number().int().min(min).max(max)
}

/**
 * `HOST:PORT` of a listener, or a port alone, which is one on loopback: `127.0.0.1:9464`,
 * `[::1]:9464`, `9464`.
 */
export const listenAddress = z
  .string()
  .regex(
    /^(?:(?:\[[0-9a-fA-F:.]+\]|[\w.-]+):)?\d{1,5}$/,
    'must be HOST:PORT, or a port on 127.0.0.1',
  )
  .transform((text) => {
    const at = text.lastIndexOf(':')
    const host = at === -1 ? '127.0.0.1' : text.slice(0, at).replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(text.slice(at + 1)) }
  })
  .refine(({ port }) => port <= 65_535, 'has a port above 65535')
  .optional()

/**
 * The variables of a schema, validated. Blank ones count as absent. Throws one message that names
 * every wrong variable and the remedy.
 */
export function readVariables<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
): z.output<T> {
  const values = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, readText(environment, name)]),
  )
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not valid: ${problems.join('; ')}`)
}

/** Whether only this machine reaches a listener there; of names only `localhost` counts. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  return isIPv4(bare) && bare.startsWith('127.')
}
