import type { Caller } from '#services/core/context.ts'
import { readStarted } from '#services/runs/reading/read-started.ts'
import type { StartedRun } from '#services/runs/starting/record-run.ts'
import type { Api } from '../context/api.ts'
import { startedRunView } from './run-view.ts'

/** `201` with the run that was started and its address. */
export async function startedAnswer(api: Api, caller: Caller, started: StartedRun) {
  const body = startedRunView(await readStarted(api.ctx, caller, started))
  return { status: 201 as const, body, headers: { location: `/v1/runs/${started.id}` } }
}
