import { z } from 'zod'
import { listSchedules, type ScheduleRecord } from '#services/runs/schedules/list-schedules.ts'
import { pauseSchedule, triggerSchedule } from '#services/runs/schedules/manage-schedule.ts'
import { idempotencyHeader, idempotencyKeyOf } from '../../route/preferences.ts'
import { route } from '../../route/route.ts'
import { startedAnswer } from '../../views/started-answer.ts'
import { answerOf, withoutNulls } from '../../views/answer-of.ts'
import * as schemas from '../../schemas/runs/schedules.ts'
import { startedRun } from '../../schemas/runs/run-actions.ts'
import { paramsOf, switchOfStarts } from './switch-of-starts.ts'

const params = paramsOf('schedule')
const switchOf = switchOfStarts('schedule', schemas.schedule, async ({ ctx }, caller, input) =>
  scheduleView(await pauseSchedule(ctx, caller, input)),
)

/** When runs start by themselves. */
export const scheduleRoutes = [
  route({
    method: 'get',
    path: '/v1/schedules',
    name: 'listSchedules',
    summary: 'List schedules',
    description: 'All schedules of the policy in force, each with its next start and its last run',
    access: { by: 'personOrKey', scope: 'runs:read' },
    answers: { 200: { description: 'All of them, by name', schema: schemas.scheduleList } },
    answer: async (api, { caller }) => {
      const items = await listSchedules(api.ctx, caller)
      return { status: 200, body: { items: items.map(scheduleView) } }
    },
  }),
  route({
    ...switchOf(true),
    path: '/v1/schedules/:name/pause',
    name: 'pauseSchedule',
    summary: 'Pause a schedule',
    description:
      'Pause a schedule, so that it starts no run until it is resumed. Its person and people with the right manageRuns may do this',
  }),
  route({
    ...switchOf(false),
    path: '/v1/schedules/:name/resume',
    name: 'resumeSchedule',
    summary: 'Resume a schedule',
    description: 'Resume a schedule, so that it starts runs again at its next time',
  }),
  route({
    method: 'post',
    path: '/v1/schedules/:name/trigger',
    name: 'triggerSchedule',
    summary: 'Start a run of a schedule',
    description:
      'Start a run now, as the person of the schedule. The caller is a principal of the run too',
    access: { by: 'person' },
    params,
    headers: z.object(idempotencyHeader),
    answers: { 201: { description: 'Started', schema: startedRun } },
    problems: [
      'not_found',
      'forbidden',
      'unknown_worker',
      'unreachable_approvers',
      'policy_blocked',
      'budget_exhausted',
      'conflict',
      'workspace_unreachable',
      'idempotency_key_reused',
    ],
    answer: async (api, { params: { name }, caller, request }) => {
      const key = idempotencyKeyOf(request)
      return startedAnswer(api, caller, await triggerSchedule(api.ctx, caller, { name, ...key }))
    },
  }),
]

function scheduleView({ lastRun, missed, ...schedule }: ScheduleRecord): schemas.Schedule {
  return { ...answerOf(schedule), ...answerOf(withoutNulls({ lastRun, missed })) }
}
