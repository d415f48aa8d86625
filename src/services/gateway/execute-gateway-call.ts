import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { callDigest } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { gatewayWorkerName, withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import { returnedContent } from '#tools/mcp/returned-content.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { judgeCall } from '../engine/judging/judge-call.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { readCallToMake, type CallToMake } from './call-to-make.ts'
import { consumeGatewayPermit, isOpen, refuseGatewayCall } from './consume-gateway-permit.ts'
import { finishGatewayCall } from './finish-gateway-call.ts'
import { settleGatewayCall } from './settle-gateway-call.ts'

/**
 * Makes an approved gateway call on the host that connects to its server: judges it by the policy
 * in force, consumes its permit, calls once and stores the result. A call that must not be made, or
 * that has started, is left alone. Rejects only when the store cannot be reached; then
 * `settleGatewayCall` decides.
 */
export async function executeGatewayCall(
  ctx: WorkerContext,
  input: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<void> {
  const { requestId, signal } = input
  const at = await readCallToMake(ctx.db, requestId)
  if (at === null || !isOpen(at)) return
  const question = {
    worker: gatewayWorkerName(at.call.server),
    tool: at.request.tool,
    input: await inputOf(ctx.db, at.request),
    present: false,
  }
  const { judgement } = await judgeCall(ctx, question, at.call.task_queue)
  const refusal = refusalOf(at, judgement)
  if (refusal !== null) return refuseGatewayCall(ctx, requestId, refusal.why, refusal.reason)
  const policy = withGatewayWorkers(await ctx.policies.inForce())
  const { tool: name } = at.request
  const tool = (await ctx.registryOf(policy, question.worker, [name])).get(name)
  if (tool === undefined) {
    return refuseGatewayCall(ctx, requestId, 'failed', 'the server offers no such tool')
  }
  const workspace = await ctx.workspaceOf(
    { taskQueue: at.call.task_queue, workspace: defaultWorkspace },
    policy,
  )
  const { policyDigest } = judgement
  const digest = callDigest(judgement)
  const permit = await consumeGatewayPermit(ctx, requestId, { digest, policyDigest })
  if (permit === 'judge_again') return executeGatewayCall(ctx, input)
  if (permit === 'none') return
  const act = (place: Pick<ExecuteContext, 'traceparent'>) =>
    tool.execute(judgement.input, {
      ...place,
      workspace,
      signal,
      idempotencyKey: requestId,
      facts: { toolHash: judgement.toolHash, bases: [] },
      printed: null,
    })
  let result: ToolResult
  try {
    result = await (ctx.aroundTool?.({ callId: requestId, tool }, act) ?? act({}))
  } catch (error) {
    ctx.log.warn({ requestId, err: error }, 'A call of the gateway ended without a result')
    await untilStored(() => settleGatewayCall(ctx, { requestId }))
    return
  }
  const state = result.type === 'error' ? 'failed' : 'succeeded'
  const { notMade: why } = result
  const kind = why === 'changed' ? why : 'failed'
  const notMade =
    why === undefined ? null : ({ refusal: kind, reason: why, words: result.text } as const)
  await untilStored(() =>
    finishGatewayCall(ctx, requestId, { state, result: returnedContent(result), notMade }),
  )
}

/** Whether the policy in force refuses it; an approved call does not ask again. */
function refusalOf({ request, external }: CallToMake, judgement: Judgement) {
  const { verdict, reason } = judgement
  if (verdict === 'blocked') return { why: 'blocked', reason } as const
  if (verdict === 'error') return { why: 'failed', reason } as const
  const digest = callDigest(judgement)
  if (digest !== judgement.digest || digest !== request.digest) {
    const changed =
      "the server's definition of this tool differs from the approved one; call again to open a new request"
    return { why: 'changed', reason: changed } as const
  }
  return verdict === 'ask' && external.verdict === 'preApproved'
    ? ({ why: 'asks', reason } as const)
    : null
}
