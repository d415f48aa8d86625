import type { Request } from 'express'
import { z } from 'zod'
import { isSignedByGitHub } from '#delivery/deployments/github-signature.ts'
import { Problem } from '#domain/problem.ts'
import type { DeploymentSetting } from '#policy/project-config.ts'
import { readApiKey } from '#services/access/api-keys/read-api-key.ts'
import type { Caller } from '#services/core/context.ts'
import { openDeployment, type DeploymentEvent } from '#services/deployments/open-deployment.ts'
import { bodyBytes } from '../../body/body-bytes.ts'
import { JsonProblem, parseStrictJson } from '../../body/strict-json.ts'
import type { Api } from '../../context/api.ts'
import { callerOf } from '../../identity/identity.ts'
import { invalidRequest } from '../../middleware/answer-problem.ts'
import { failureLimit, type FailureLimit } from '../../middleware/failure-limit.ts'
import { refuseSignature } from '../../middleware/refuse-signature.ts'
import { recordingRefusals } from '../../route/recording-refusals.ts'
import type { Route } from '../../route/route.ts'
import * as schemas from '../../schemas/requests/deployments.ts'

/** Where GitHub asks whether a deployment may continue; a body is verified by its bytes. */
export const deploymentPath = '/v1/deployments/:name'

const params = z.object({ name: z.string().describe('Name of an entry in `deployments`') })

/** Requests that deployments of GitHub open. */
export function deploymentRoutes(): readonly [
  Route<
    'askForDeployment',
    'post',
    typeof deploymentPath,
    typeof params,
    z.ZodType,
    typeof schemas.deploymentEvent,
    {
      readonly 202: {
        readonly description: string
        readonly schema: typeof schemas.deploymentRequest
      }
    }
  >,
] {
  const failures = failureLimit(60, 'signatures')
  const messages = failureLimit(300, 'messages')
  return [
    {
      method: 'post',
      path: deploymentPath,
      name: 'askForDeployment',
      summary: 'Ask for a deployment of GitHub',
      description:
        'Takes the event deployment_protection_rule of a GitHub App, signed as X-Hub-Signature-256 with the secret of the entry in `deployments`. The same deployment again returns the same request. Other signed events are answered with nulls',
      access: { by: 'everybody' },
      params,
      headers: schemas.deploymentHeaders,
      body: schemas.deploymentEvent,
      answers: { 202: { description: 'The request', schema: schemas.deploymentRequest } },
      problems: [
        'unauthenticated',
        'forbidden',
        'policy_blocked',
        'unreachable_approvers',
        'idempotency_key_reused',
        'too_large',
      ],
      answer: async (api, request) => {
        const bytes = bodyBytes(request)
        const setting = await admit(api, failures, request, bytes)
        await messages.fail(request)
        if (request.get('x-github-event') !== 'deployment_protection_rule') {
          return { status: 202, body: { requestId: null, number: null } }
        }
        const github = { actor: { type: 'system', name: 'deployments' }, channel: 'api' } as const
        const operation = { method: 'post', path: deploymentPath }
        const body = await recordingRefusals(api, operation, request, github, async () => {
          const event = readEvent(bytes)
          const caller = await programOf(api, setting, request)
          return openDeployment(api.ctx, caller, setting, event)
        })
        return { status: 202, body }
      },
    },
  ]
}

/** An unknown name is answered like a wrong signature. */
async function admit(
  api: Api,
  failures: FailureLimit,
  request: Request,
  body: Buffer,
): Promise<DeploymentSetting> {
  await failures.check(request)
  const { config } = await api.ctx.policies.inForce()
  const setting = config.deployments.get(params.parse(request.params).name)
  const secret = setting === undefined ? undefined : api.secretOf?.(setting.secretFrom)
  const signature = request.get('x-hub-signature-256')
  if (isSignedByGitHub(secret, { signature, body }) && setting !== undefined) return setting
  return refuseSignature(api, failures, request, {
    system: 'deployments',
    attempt: 'askForDeployment',
    sentence: 'The signature does not match the secret of this entry of deployments',
  })
}

/** The key that the entry names asks; without a valid one there is no caller. */
async function programOf(
  api: Api,
  { keyFrom }: DeploymentSetting,
  request: Request,
): Promise<Caller> {
  const key = await readApiKey(api.ctx, api.secretOf?.(keyFrom) ?? '', null)
  if (key?.scopes.has('requests:write') === true) return callerOf({ kind: 'key', key }, request)
  throw new Problem('forbidden', `${keyFrom} holds no valid API key with requests:write`)
}

function readEvent(bytes: Buffer): DeploymentEvent {
  const event = parseEvent(bytes)
  const { deployment, pull_requests: pullRequests, sender } = event
  const { creator } = deployment
  // GitHub sends null for a deleted account. The sender is not necessarily who made it.
  if (!creator) throw new Problem('forbidden', 'GitHub names nobody who made the deployment')
  const callbackUrl = event.deployment_callback_url
  const [, run = '0'] = /\/actions\/runs\/(\d{1,15})\//.exec(callbackUrl) ?? []
  return {
    deployment: {
      repository: event.repository.full_name,
      repositoryId: event.repository.id,
      environment: event.environment,
      commit: deployment.sha,
      ref: deployment.ref,
      event: event.event,
      run: Number(run),
      deployment: deployment.id,
      startedBy: sender.login,
    },
    startedBy: [creator, sender],
    authors: (pullRequests ?? []).flatMap(({ user }) => user ?? []),
    callbackUrl,
    installationId: event.installation?.id ?? null,
  }
}

function parseEvent(bytes: Buffer): z.infer<typeof schemas.deploymentEvent> {
  try {
    return schemas.deploymentEvent.parse(parseStrictJson(bytes))
  } catch (error) {
    if (error instanceof JsonProblem) throw new Problem('invalid_request', error.message)
    throw error instanceof z.ZodError ? invalidRequest(error, 'body') : error
  }
}
