import type { Request } from 'express'
import { Problem, type ProblemCode } from '#domain/problem.ts'
import { isRecorded, recordRefusal } from '#services/refusals/record-refusal.ts'
import { existingRequest } from '#services/requests/people/find-request.ts'
import { existingRun } from '#services/runs/visible-run.ts'
import type { Caller } from '#services/core/context.ts'
import { callerOf, type Identity } from '../identity/identity.ts'
import type { Api } from '../context/api.ts'

/** Refusals that do not depend on permissions: errors of the form, or of the service. */
const unrecorded: readonly ProblemCode[] = [
  'invalid_request',
  'too_large',
  'unsupported_media_type',
  'unauthenticated',
  'method_not_allowed',
  'host_not_allowed',
  'digest_required',
  'idempotency_key_reused',
  'rate_limited',
  'workspace_unreachable',
  'unavailable',
  'internal',
]

/** Carries out an act of one caller through `recordingRefusals`. */
export type Attempt = <T>(act: string, answer: () => Promise<T>) => Promise<T>

/**
 * Answers an operation, and records an audit event when an identified caller is refused
 * (security.md 33). Every operation and MCP message that
 * changes something runs through here. A refusal that the
 * verb recorded is not recorded again. The answer does not depend on the recording, nor on whether
 * the named thing exists.
 */
export async function recordingRefusals<T>(
  api: Api,
  operation: { readonly method: string; readonly path: string },
  request: Request,
  identity: Identity | Caller | null,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    const acts = operation.method !== 'get' && identity !== null
    if (
      acts &&
      error instanceof Problem &&
      !unrecorded.includes(error.code) &&
      !isRecorded(error)
    ) {
      const caller = 'actor' in identity ? identity : callerOf(identity, request)
      await record(api, operation, request, caller, error)
    }
    throw error
  }
}

/**
 * Answers an operation that starts a session, and records when a page of another site sent it: it
 * would sign the person in as somebody else.
 */
export async function recordingForeignPages<T>(
  api: Api,
  operation: { readonly method: string; readonly path: string },
  request: Request,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof Problem && error.code === 'csrf_failed') {
      const visitor = { actor: { type: 'system', name: 'sign-in' }, channel: 'api' } as const
      await record(api, operation, request, visitor, error)
    }
    throw error
  }
}

async function record(
  api: Api,
  { method, path }: { readonly method: string; readonly path: string },
  request: Request,
  { actor, channel }: Caller,
  { code, facts: { which } }: Problem,
): Promise<void> {
  try {
    await recordRefusal(api.ctx, {
      type: 'attempt.refused',
      actor,
      channel,
      ...(await subjectOf(api, path, String(request.params['id'] ?? ''))),
      detail: {
        attempt: `${method.toUpperCase()} ${path}`,
        code,
        ...(typeof which === 'string' ? { which } : {}),
      },
    })
  } catch (error) {
    api.ctx.log.error({ err: error, code }, 'The refusal could not be recorded')
  }
}

/** The subject in the path, whether or not the caller may see it: its trail shows who tried. */
async function subjectOf(
  { ctx }: Api,
  path: string,
  field: string,
): Promise<{ requestId?: string; runId?: string }> {
  if (path.startsWith('/v1/requests/:id')) {
    const request = await existingRequest(ctx.db, field)
    if (request === null) return {}
    return { requestId: request.id, ...(request.runId === null ? {} : { runId: request.runId }) }
  }
  if (path.startsWith('/v1/runs/:id')) {
    const runId = await existingRun(ctx.db, field)
    return runId === null ? {} : { runId }
  }
  return {}
}
