import type { Selectable } from 'kysely'
import { requestTransitions, transition } from '#domain/requests/transitions.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import type { DecisionFacts } from '../facts/decision-facts.ts'
import { inRun } from './end-request.ts'
import { notifyProgram } from './notify-program.ts'
import { enqueueGatewayTask } from './start-gateway-task.ts'

/**
 * Ends a pending request whose quorum is met, as `endRequest` does, with rows that the unit's last
 * statement writes, and from facts that were read under the lock. Throws when the request is not
 * pending: the caller checks that under the lock.
 */
export async function endApproved(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  { program }: DecisionFacts,
): Promise<void> {
  const state = transition(requestTransitions, request.state, 'approve')
  if (state !== 'approved') throw new Error(`Request ${request.id} is ${request.state} already`)
  const { id, run_id: runId } = request
  // The seal held when the facts were read under the lock: otherwise nobody may decide the request.
  const seal = unit.seals.of('request', { ...request, state })
  unit.addDecided({ approved: [{ id, seal }] })
  const type = 'request.decided'
  await unit.event(type, { requestId: id, ...inRun(runId) })
  if (runId === null) {
    if (program.taskQueue !== null) await enqueueGatewayTask(unit, id, program.taskQueue)
    if (program.hasCallback) await notifyProgram(unit, { requestId: id, state, type })
  } else if (request.kind === 'start') {
    await unit.enqueue({ kind: 'signal_messaged', runId, payload: {} })
  }
}
