import type { RunState } from '../requests/request.ts'

/**
 * Filters for Temporal's own list of workflows. Search attributes are never encrypted, so they are
 * ids and names of the configuration, never content (security.md 14). SQL visibility has ten
 * columns of keywords and three of each other type for a namespace; these are three keywords, one
 * list and one number.
 */
export const searchAttributes = {
  worker: { name: 'CountersignWorker', type: 'KEYWORD' },
  state: { name: 'CountersignState', type: 'KEYWORD' },
  /** queues in which requests of the run wait */
  queue: { name: 'CountersignQueue', type: 'KEYWORD_LIST' },
  /** id of the person who started it */
  starter: { name: 'CountersignStarter', type: 'KEYWORD' },
  /** the number of the run */
  number: { name: 'CountersignNumber', type: 'INT' },
} as const

/** The workflow does not learn how its run ended, and is closed by then. */
export type ListedState =
  | Extract<RunState, 'running' | 'waiting_for_approval' | 'waiting_for_input'>
  | 'ended'
