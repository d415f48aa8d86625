import { readSecrets } from '#delivery/webhooks/webhook-secret.ts'
import { listTriggers } from '#services/runs/reading/list-triggers.ts'
import { route } from '../../route/route.ts'
import { lastRunView } from '../../views/last-run-view.ts'
import * as schemas from '../../schemas/runs/triggers.ts'
import { triggerPath } from './triggers.ts'

/** What other systems may start runs by. */
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
    answer: async (api) => {
      const triggers = await listTriggers(api.ctx)
      const items = triggers.map(
        ({ name, worker, as, conversation, secretFrom, lastRun }): schemas.Trigger => ({
          name,
          worker,
          as: as && { ...as },
          conversation,
          url: new URL(
            triggerPath.replace(':name', encodeURIComponent(name)),
            api.settings.publicUrl,
          ).href,
          hasSecret: readSecrets(api.secretOf?.(secretFrom)) !== null,
          ...lastRunView(lastRun),
        }),
      )
      return { status: 200, body: { items } }
    },
  }),
]
