import type { ServiceContext } from '../core/context.ts'
import { workflowIdOf } from './starting/insert-run.ts'
import { recordRefusal } from '../refusals/record-refusal.ts'

/** An activity as it arrived at a Temporal worker. */
export interface ArrivedActivity {
  readonly activity: string
  /** the run or call that it names */
  readonly subject: { readonly runId: string } | { readonly callId: string }
  /** of the workflow that scheduled it */
  readonly workflowId: string | null
}

/**
 * Records an activity whose run has another workflow: somebody with access to Temporal scheduled it
 * by hand.
 */
export async function recordForgedActivity(
  ctx: ServiceContext,
  { activity, subject, workflowId }: ArrivedActivity,
): Promise<void> {
  if ('runId' in subject && workflowId === workflowIdOf(subject.runId)) return
  const run = await runOf(ctx, subject)
  if (run === undefined || run.workflowId === workflowId) return
  await recordRefusal(ctx, {
    type: 'attempt.refused',
    actor: { type: 'system', name: 'executor' },
    channel: 'workflow',
    runId: run.runId,
    ...(run.callId === null ? {} : { callId: run.callId }),
    ...(run.requestId === null ? {} : { requestId: run.requestId }),
    detail: { attempt: activity, code: 'not_its_workflow' },
  })
}

async function runOf(ctx: ServiceContext, subject: ArrivedActivity['subject']) {
  if ('callId' in subject) {
    return ctx.db
      .selectFrom('tool_call')
      .innerJoin('run', 'run.id', 'tool_call.run_id')
      .select(['run.id as runId', 'run.workflow_id as workflowId', 'tool_call.id as callId'])
      .select('tool_call.request_id as requestId')
      .where('tool_call.id', '=', subject.callId)
      .executeTakeFirst()
  }
  const run = await ctx.db
    .selectFrom('run')
    .select(['id as runId', 'workflow_id as workflowId'])
    .where('id', '=', subject.runId)
    .executeTakeFirst()
  return run === undefined ? undefined : { ...run, callId: null, requestId: null }
}
