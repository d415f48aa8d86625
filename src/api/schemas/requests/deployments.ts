import { z } from 'zod'
import { id, shortNumber } from '../common.ts'
import * as example from '../examples.ts'

/** The headers of a webhook from GitHub. */
export const deploymentHeaders = z.object({
  'x-github-event': z.string().optional().describe('Type of the event'),
  'x-github-delivery': z.string().optional().describe('Id of the event, for the log'),
  'x-hub-signature-256': z
    .string()
    .optional()
    .describe('`sha256=` and the HMAC-SHA-256 of the body in hex; required'),
})

const user = z.looseObject({
  id: z.int().positive().describe('Id of the account at GitHub, which nobody else can have'),
  login: z.string().min(1).max(100).describe('Login of the account, for texts only'),
})

/** The members of the event `deployment_protection_rule` that the service reads. */
export const deploymentEvent = z
  .looseObject({
    action: z.literal('requested').describe('Other actions open no request'),
    environment: z.string().min(1).max(255).describe('Name of the environment at GitHub'),
    event: z.string().max(100).describe('What started the workflow, such as `push`'),
    deployment_callback_url: z.url().max(2048).describe('Address to which the decision is sent'),
    deployment: z
      .looseObject({
        id: z.int().positive().describe('Id of the deployment at GitHub'),
        sha: z
          .string()
          .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
          .describe('The commit to deploy'),
        ref: z.string().max(1024).describe('The branch or tag'),
        creator: user.nullish().describe('Who made the deployment'),
      })
      .describe('The deployment that waits'),
    pull_requests: z
      .array(z.looseObject({ user: user.nullish().describe('Its author') }))
      .max(100)
      .nullish()
      .describe('Pull requests of the commit, whose authors cannot approve'),
    repository: z
      .looseObject({
        id: z.int().positive().describe('Id of the repository at GitHub'),
        full_name: z
          .string()
          .regex(/^[A-Za-z0-9][\w-]{0,38}\/[\w.-]{1,100}$/)
          .describe('`owner/name`'),
      })
      .describe('The repository of the deployment'),
    installation: z
      .looseObject({ id: z.int().positive().describe('Id of the installation at GitHub') })
      .nullish()
      .describe('The installation of the GitHub App'),
    sender: user.describe('Who caused the event'),
  })
  .meta({
    examples: [
      {
        action: 'requested',
        environment: 'production',
        event: 'push',
        deployment_callback_url:
          'https://api.github.com/repos/acme/shop/actions/runs/7/deployment_protection_rule',
        deployment: {
          id: 31,
          sha: 'a'.repeat(40),
          ref: 'main',
          creator: { id: 583231, login: 'octocat' },
        },
        repository: { id: 1296269, full_name: 'acme/shop' },
        installation: { id: 5 },
        sender: { id: 583231, login: 'octocat' },
      },
    ],
  })

/** The answer to a webhook: the request, or nulls for an event that opens none. */
export const deploymentRequest = z
  .object({
    requestId: id.nullable().describe('Id of the request; null: the event opens none'),
    number: shortNumber.nullable(),
  })
  .meta({ examples: [{ requestId: example.requestId, number: 12 }] })
