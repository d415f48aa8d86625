import { sql, type Selectable } from 'kysely'
import type { WaitingStep } from '#domain/deciding/judgement.ts'
import { escalateRouting, stepsDue } from '#domain/deciding/waiting-steps.ts'
import { toJsonb, type Tx } from '#store/database.ts'
import type { RequestTable } from '#store/tables/requests.ts'
import { aboutRequest } from './end-request.ts'
import { expireLocked } from './expire-locked.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { timer } from '../../core/authority.ts'

/**
 * Does what is due for a request when a timer fires, by its row and the database's clock. If it is
 * pending and its deadline has passed, it expires. Otherwise every due step of its routing is
 * taken, once and in order, however late. The caller holds the run's lock and the request's.
 */
export async function advanceLocked(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
): Promise<void> {
  if (request.state !== 'pending') return
  const { isOver, isStepDue, waitedMs } = await readClock(unit.tx, request.id)
  if (isOver) return expireLocked(unit, request)
  if (!isStepDue) return
  const taken = request.steps_taken?.length ?? 0
  await takeSteps(unit, request, taken, stepsDue(request.routing.steps ?? [], taken, waitedMs))
}

interface RequestClock {
  readonly isOver: boolean
  readonly isStepDue: boolean
  readonly waitedMs: number
}

async function readClock(tx: Tx, requestId: string): Promise<RequestClock> {
  const { rows } = await sql<RequestClock>`
    select expires_at <= clock_timestamp() as "isOver",
      coalesce(next_step_at <= clock_timestamp(), false) as "isStepDue",
      (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "waitedMs"
    from request where id = ${requestId}
  `.execute(tx)
  const clock = rows[0]
  if (clock === undefined) throw new Error(`Request ${requestId} no longer exists`)
  return clock
}

async function takeSteps(
  unit: UnitOfWork,
  request: Selectable<RequestTable>,
  taken: number,
  due: readonly WaitingStep[],
): Promise<void> {
  let { routing } = request
  const subject = { requestId: request.id, runId: request.run_id }
  for (const step of due) {
    if (step.kind === 'escalate') routing = escalateRouting(routing, step.addTeams)
    await unit.audit({
      type: step.kind === 'escalate' ? 'request.escalated' : 'request.reminded',
      ...timer,
      ...aboutRequest(request),
      digest: request.digest,
      detail: {
        dueAt: new Date(request.created_at.getTime() + step.afterMs).toISOString(),
        ...(step.kind === 'escalate'
          ? { addTeams: [...step.addTeams], quorum: routing.quorumText }
          : {}),
      },
    })
    await unit.event(step.kind === 'escalate' ? 'request.escalated' : 'request.reminded', subject)
  }
  await unit.event('request.changed', subject)
  const next = routing.steps?.[taken + due.length]
  await sql`
    update request set routing = ${toJsonb(routing)}::jsonb,
      seal = ${unit.seals.again('request', request, { routing })},
      next_step_at = created_at + ${next?.afterMs ?? null}::float8 * interval '1 millisecond',
      steps_taken = coalesce(steps_taken, '{}') || array_fill(clock_timestamp(), array[${due.length}::int])
    where id = ${request.id}
  `.execute(unit.tx)
}
