import { findFreePort } from '../processes/free-port.ts'

/** The variables that name a listener for metrics, of an API process and of a Temporal worker. */
export type MetricsVariable = 'COUNTERSIGN_METRICS' | 'COUNTERSIGN_WORKER_METRICS'

/**
 * Where the process number `index` (from 0) of its kind serves metrics: the first one where the variable says, each other
 * on a free port of the same host, which it says; nowhere when the variable is not set.
 */
export async function ownListener(options: {
  readonly variables: Readonly<Record<string, string>>
  readonly variable: MetricsVariable
  readonly name: string
  readonly index: number
  readonly log: (sentence: string) => void
}): Promise<Partial<Record<MetricsVariable, string>>> {
  const { variables, variable, name, index, log } = options
  const named = variables[variable]
  if (named === undefined || named === '' || index === 0) return {}
  // A port alone means loopback, for each.
  const host = named.slice(0, named.lastIndexOf(':') + 1)
  const address = `${host}${await findFreePort()}`
  log(
    `${name} serves its metrics on ${address}: the first of its kind has the ${variable} of ${named}`,
  )
  return { [variable]: address }
}
