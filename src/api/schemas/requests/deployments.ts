import { z } from 'zod'
import { id } from '../common.ts'
import * as example from '../examples.ts'

/** The headers of a webhook of GitHub. */
export const deploymentHeaders = z.object({
  'x-github-event': z.string().optional(),
  'x-github-delivery': z.string().optional(),
  'x-hub-signature-256': z.string().optional(),
})

const user = z.looseObject({ login: z.string().min(1).max(100) })

/** The event `deployment_protection_rule`, as far as it is read. */
export const deploymentEvent = z
  .looseObject({
    action: z.literal('requested'),
    environment: z.string().min(1).max(255),
    event: z.string().max(100),
    deployment_callback_url: z.url().max(2048),
    deployment: z.looseObject({
      id: z.int().positive(),
      sha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
      ref: z.string().max(1024),
      creator: user.nullish(),
    }),
    pull_requests: z
      .array(z.looseObject({ user: user.nullish() }))
      .max(100)
      .nullish(),
    repository: z.looseObject({
      full_name: z.string().regex(/^[A-Za-z0-9][\w-]{0,38}\/[\w.-]{1,100}$/),
    }),
    installation: z.looseObject({ id: z.int().positive() }).nullish(),
    sender: user,
  })
  .meta({
    examples: [
      {
        action: 'requested',
        environment: 'production',
        event: 'push',
        deployment_callback_url:
          'https://api.github.com/repos/acme/shop/actions/runs/7/deployment_protection_rule',
        deployment: { id: 31, sha: 'a'.repeat(40), ref: 'main', creator: { login: 'octocat' } },
        repository: { full_name: 'acme/shop' },
        installation: { id: 5 },
        sender: { login: 'octocat' },
      },
    ],
  })

/** What a webhook is answered: the request, or null for an event that opens none. */
export const deploymentAsked = z
  .object({ requestId: id.nullable(), number: z.int().nullable() })
  .meta({ examples: [{ requestId: example.requestId, number: 12 }] })
