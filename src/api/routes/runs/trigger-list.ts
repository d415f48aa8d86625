import { readSecrets } from '#delivery/webhooks/webhook-secret.ts'
import { listTriggers, type TriggerRecord } from '#services/runs/triggers/list-triggers.ts'
import { pauseTrigger } from '#services/runs/triggers/pause-trigger.ts'
import type { Api } from '../../context/api.ts'
import { route } from '../../route/route.ts'
import { answerOf, withoutNulls } from '../../views/answer-of.ts'
import * as schemas from '../../schemas/runs/triggers.ts'
import { switchOfStarts } from './switch-of-starts.ts'
import { triggerPath } from './triggers.ts'

const switchOf = switchOfStarts('trigger', schemas.trigger, async (api, caller, input) =>
  triggerView(api, await pauseTrigger(api.ctx, caller, input)),
)

/** The triggers by which other systems start runs. */
export const triggerListRoutes = [
  route({
    method: 'get',
    path: '/v1/triggers',
    name: 'listTriggers',
    summary: 'List triggers',
    description:
      'All triggers of the policy in force, each with the address that takes its messages and its last run. Secrets are not part of the answer',
    access: { by: 'personOrKey', scope: 'runs:read' },
    answers: { 200: { description: 'All of them, by name', schema: schemas.triggerList } },
    answer: async (api, { caller }) => {
      const triggers = await listTriggers(api.ctx, caller)
      return { status: 200, body: { items: triggers.map((trigger) => triggerView(api, trigger)) } }
    },
  }),
  route({
    ...switchOf(true),
    path: '/v1/triggers/:name/pause',
    name: 'pauseTrigger',
    summary: 'Pause a trigger',
    description:
      'Pause a trigger, so that it refuses messages with 409 trigger_paused until it is resumed; one that has started a run is still answered with that run. Its person and people with the right manageRuns may do this',
  }),
  route({
    ...switchOf(false),
    path: '/v1/triggers/:name/resume',
    name: 'resumeTrigger',
    summary: 'Resume a trigger',
    description: 'Resume a trigger, so that its messages start runs again',
  }),
]

function triggerView(
  { settings, secretOf }: Api,
  { as, secretFrom, lastRun, ...trigger }: TriggerRecord,
): schemas.Trigger {
  const path = triggerPath.replace(':name', encodeURIComponent(trigger.name))
  return {
    ...trigger,
    as: as && { ...as },
    url: new URL(path, settings.publicUrl).href,
    hasSecret: readSecrets(secretOf?.(secretFrom)) !== null,
    ...answerOf(withoutNulls({ lastRun })),
  }
}
