import type { RunDetail } from '#api/schemas/runs/runs.ts'
import { printableLine } from './terminal-text.ts'

/** The state of a run, and why it failed. */
export function stateLine({ failure, state }: Pick<RunDetail, 'failure' | 'state'>): string {
  return failure === undefined ? state : `${state}: ${printableLine(failure.message)}`
}
