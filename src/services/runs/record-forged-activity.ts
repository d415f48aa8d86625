import { isStoredId, isUuid } from '#domain/requests/reference-forms.ts'
import type { ServiceContext } from '../core/context.ts'
import { workflowIdOf } from './starting/insert-run.ts'
import { recordRefusal } from '../refusals/record-refusal.ts'

/** An activity as it arrived at a Temporal worker. */
export interface ArrivedActivity {
  readonly activity: string
  /** the run, the call, or the request of a gateway call that it names */
  readonly subject:
    | { readonly runId: string }
    | { readonly callId: string }
    | { readonly requestId: string }
  /** of the workflow that scheduled it */
  readonly workflowId: string | null
}

/** What the refusal is about; `workflowId`: of the run. */
interface SubjectIds {
  readonly runId: string | null
  readonly callId: string | null
  readonly requestId: string | null
  readonly workflowId: string | null
}

/**
 * Records an activity whose run has another workflow: somebody with access to Temporal scheduled it
 * by hand. For an activity of a gateway call, the caller of this function has compared the
 * workflows before. If the activity names nothing that is in the database, the log says so.
 */
export async function recordForgedActivity(
  ctx: ServiceContext,
  { activity, subject, workflowId }: ArrivedActivity,
): Promise<void> {
  if ('runId' in subject && isStoredId(subject.runId)) {
    if (workflowId === workflowIdOf(subject.runId)) return
  }
  const ids = await readIds(ctx, subject)
  if (ids === undefined) {
    ctx.log.warn({ activity, workflowId }, 'An activity names nothing of this installation')
    return
  }
  const { runId, callId, requestId } = ids
  if (runId !== null && ids.workflowId === workflowId) return
  await recordRefusal(ctx, {
    type: 'attempt.refused',
    actor: { type: 'system', name: 'executor' },
    channel: 'workflow',
    ...(runId === null ? {} : { runId }),
    ...(callId === null ? {} : { callId }),
    ...(requestId === null ? {} : { requestId }),
    detail: { attempt: activity, code: 'not_its_workflow' },
  })
}

async function readIds(
  ctx: ServiceContext,
  subject: ArrivedActivity['subject'],
): Promise<SubjectIds | undefined> {
  if ('callId' in subject) {
    return ctx.db
      .selectFrom('tool_call')
      .innerJoin('run', 'run.id', 'tool_call.run_id')
      .select(['run.id as runId', 'run.workflow_id as workflowId', 'tool_call.id as callId'])
      .select('tool_call.request_id as requestId')
      .where('tool_call.id', '=', subject.callId)
      .executeTakeFirst()
  }
  if ('runId' in subject) {
    const run = await ctx.db
      .selectFrom('run')
      .select(['id as runId', 'workflow_id as workflowId'])
      .where('id', '=', subject.runId)
      .executeTakeFirst()
    return run === undefined ? undefined : { ...run, callId: null, requestId: null }
  }
  // Anybody with access to Temporal can send anything.
  if (typeof subject.requestId !== 'string' || !isUuid(subject.requestId)) return undefined
  const call = await ctx.db
    .selectFrom('gateway_call')
    .select('request_id as requestId')
    .where('request_id', '=', subject.requestId)
    .executeTakeFirst()
  return call === undefined ? undefined : { ...call, runId: null, callId: null, workflowId: null }
}
