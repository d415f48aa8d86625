import type { Request } from 'express'
import { z } from 'zod'
import { isSignedWebhook, readSecrets } from '#delivery/webhooks/webhook-secret.ts'
import type { Json } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { TriggerSetting } from '#policy/project-config.ts'
import type { Caller } from '#services/core/context.ts'
import { startFromTrigger } from '#services/runs/starting/start-from-trigger.ts'
import { bodyBytes } from '../../body/body-bytes.ts'
import { JsonProblem, parseStrictJson } from '../../body/strict-json.ts'
import type { Api } from '../../context/api.ts'
import { databaseTime } from '#store/database-time.ts'
import { callerOf, type Identity } from '../../identity/identity.ts'
import { failureLimit, type FailureLimit } from '../../middleware/failure-limit.ts'
import { refuseSignature } from '../../middleware/refuse-signature.ts'
import { recordingRefusals } from '../../route/recording-refusals.ts'
import type { Route } from '../../route/route.ts'
import * as schemas from '../../schemas/runs/triggers.ts'

/** Where messages arrive that start runs; a body is judged by its bytes. */
export const triggerPath = '/v1/triggers/:name'

const params = z.object({ name: z.string().describe('Name of a trigger') })

/** Starting runs by messages of other systems. */
export function triggerRoutes(): readonly [
  Route<
    'startFromTrigger',
    'post',
    typeof triggerPath,
    typeof params,
    z.ZodType,
    typeof schemas.triggerBody,
    { readonly 202: { readonly description: string; readonly schema: typeof schemas.triggered } }
  >,
] {
  const failures = failureLimit(60, 'signatures')
  const messages = failureLimit(300, 'messages')
  return [
    {
      method: 'post',
      path: triggerPath,
      name: 'startFromTrigger',
      summary: 'Start a run by a trigger',
      description:
        "Takes the headers of Standard Webhooks, signed with the trigger's secret within the last five minutes, or an API key with the scope runs:write. The body of at most 256 KiB is data for the model. A repeated webhook-id returns the same run. A paused trigger refuses every other message",
      access: { by: 'everybody' },
      params,
      headers: schemas.triggerHeaders,
      body: schemas.triggerBody,
      answers: { 202: { description: 'The started run', schema: schemas.triggered } },
      problems: [
        'unauthenticated',
        'forbidden',
        'not_found',
        'unknown_worker',
        'unreachable_approvers',
        'budget_exhausted',
        'conflict',
        'policy_blocked',
        'workspace_unreachable',
        'too_large',
      ],
      answer: async (api, request, response) => {
        const body = bodyBytes(request)
        const identity = (response.locals['identity'] as Identity | undefined) ?? null
        const operation = { method: 'post', path: triggerPath }
        return recordingRefusals(api, operation, request, identity, async () => {
          const { trigger, key } = await admit(api, failures, request, { identity, body })
          await messages.fail(request)
          const input = inputOf(body)
          const messageId = request.get('webhook-id') ?? request.get('idempotency-key')
          const run = await startFromTrigger(api.ctx, { trigger, key, input, messageId })
          return { status: 202, body: { runId: run.id, number: run.number } }
        })
      },
    },
  ]
}

interface TriggerAdmission {
  readonly trigger: TriggerSetting
  readonly key: Caller | null
}

/** A name without a trigger is answered like a wrong signature. */
async function admit(
  api: Api,
  failures: FailureLimit,
  request: Request,
  { identity, body }: { readonly identity: Identity | null; readonly body: Buffer },
): Promise<TriggerAdmission> {
  await failures.check(request)
  const { config } = await api.ctx.policies.inForce()
  const { name } = params.parse(request.params)
  const trigger = config.triggers.get(name)
  if (identity?.kind === 'key') {
    if (!identity.key.scopes.has('runs:write')) {
      throw new Problem('forbidden', 'This API key lacks the scope runs:write')
    }
    if (trigger === undefined) throw new Problem('not_found', 'There is no such trigger')
    return { trigger, key: callerOf(identity, request) }
  }
  const keys = trigger === undefined ? null : readSecrets(api.secretOf?.(trigger.secretFrom))
  const message = {
    id: request.get('webhook-id'),
    timestamp: request.get('webhook-timestamp'),
    signature: request.get('webhook-signature'),
    body,
  }
  const isSigned = await isSignedWebhook(keys, message, () => databaseTime(api.ctx.db))
  if (isSigned && trigger !== undefined) return { trigger, key: null }
  return refuseSignature(api, failures, request, {
    system: 'trigger',
    attempt: 'startFromTrigger',
    sentence: hasSignature(message)
      ? 'The signature does not match the secret of this trigger, or is older than five minutes'
      : 'Send the headers webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks), or authorization: Bearer with an API key of the scope runs:write',
  })
}

function hasSignature(message: Readonly<Record<'id' | 'timestamp' | 'signature', unknown>>) {
  return [message.id, message.timestamp, message.signature].every((header) => header !== undefined)
}

/**
 * The object of a body that every reader of JSON reads alike. Any other body is text, as it was
 * sent: of an object with a key twice, or a number beyond 2^53, the model would get something that
 * nobody sent.
 */
function inputOf(body: Buffer): Json {
  try {
    const value = parseStrictJson(body)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
  }
  return body.toString()
}
