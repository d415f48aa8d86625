import type { JsonObject } from '#domain/json/json.ts'
import { callApi } from '../../api/call-api.ts'
import { useNewRun } from '../start/use-start.ts'

export interface ForkBody {
  readonly afterTurn?: number
  readonly text?: string
  readonly input?: string | JsonObject
  readonly worker?: 'current' | 'pinned'
}

/** Forks a run and opens the page of the new one. */
export function useFork(runId: string, done: () => void) {
  return useNewRun<ForkBody>(
    (body, idempotencyKey) => callApi('forkRun', { params: { id: runId }, body, idempotencyKey }),
    done,
  )
}
