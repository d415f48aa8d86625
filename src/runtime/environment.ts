/** Environment variables as read once; tests pass their own. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The only place that reads the process environment. */
export function processEnvironment(): Environment {
  return process.env
}

/** The variable's text, or `undefined` when it is missing or blank. */
export function readText(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim()
  return text === undefined || text === '' ? undefined : text
}
