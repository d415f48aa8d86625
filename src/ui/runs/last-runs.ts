let address = '/runs'

/** Remembers the list of runs on the screen, with its filters. */
export function rememberRuns(query: URLSearchParams): void {
  address = query.size === 0 ? '/runs' : `/runs?${query}`
}

/** The router state for a return from a run to the list. */
export interface FromRun {
  readonly fromRun: string
}

/** The arguments of `navigate` for the list of runs as the person left it. */
export function backToRuns(fromRun: string): [string, { state: FromRun }] {
  return [address, { state: { fromRun } }]
}
