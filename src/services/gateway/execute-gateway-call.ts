import { setTimeout as delay } from 'node:timers/promises'
import { defaultWorkspace } from '#domain/tools/workspace-name.ts'
import { callDigest } from '#domain/json/digest.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { ExecuteContext } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import { UnusableWorkspace } from '#domain/tools/unusable-workspace.ts'
import { gatewayWorkerName, withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { untilStored } from '#store/connection/until-stored.ts'
import { returnedContent } from '#tools/mcp/returned-content.ts'
import type { WorkerContext } from '../core/worker-context.ts'
import { measureTime } from '../core/elapsed-time.ts'
import { judgeCall } from '../engine/judging/judge-call.ts'
import { inputOf } from '../requests/facts/input-of.ts'
import { awaitOtherTry } from './await-other-try.ts'
import { readCallToMake, type CallToMake } from './call-to-make.ts'
import { consumeGatewayPermit, isOpen, refuseGatewayCall } from './consume-gateway-permit.ts'
import { finishGatewayCall } from './finish-gateway-call.ts'
import { settleGatewayCall } from './settle-gateway-call.ts'

/** How long a call waits for its workspace: after a restart it may be mounted later. */
const workspaceMs = 60_000
const everyMs = 2000

interface CallInput {
  readonly requestId: string
  readonly signal: AbortSignal
}

/**
 * Makes an approved gateway call on the host that connects to its server: judges it by the policy
 * in force, consumes its permit, calls once and stores the result. A call that must not be made, or
 * that has ended, is left alone. Rejects if the store cannot be reached, if this try was stopped
 * before it consumed the permit, or if another one began the call and does not end it; then
 * `settleGatewayCall` decides.
 */
export async function executeGatewayCall(ctx: WorkerContext, input: CallInput): Promise<void> {
  const elapsedMs = measureTime()
  for (;;) {
    try {
      if (!(await makeCall(ctx, input))) await awaitOtherTry(ctx, input)
      return
    } catch (error) {
      if (!(error instanceof UnusableWorkspace)) throw error
      if (elapsedMs() > workspaceMs) {
        const reason = `the workspace cannot be used: ${error.message}; call again to open a new request`
        return refuseGatewayCall(ctx, input.requestId, 'failed', reason)
      }
    }
    await delay(everyMs, undefined, { signal: input.signal })
  }
}

/** Returns whether this try made the call. */
async function makeCall(ctx: WorkerContext, input: CallInput): Promise<boolean> {
  const { requestId, signal } = input
  const at = await readCallToMake(ctx.db, requestId)
  if (at === null || !isOpen(at)) return false
  const question = {
    worker: gatewayWorkerName(at.call.server),
    tool: at.request.tool,
    input: await inputOf(ctx.db, at.request),
    present: false,
  }
  // A try that others gave up refuses nothing either: the next one may be making the call.
  const throwIfStopped = (): void => {
    if (signal.aborted) throw new Error(`Call ${requestId} was stopped before it began`)
  }
  const { judgement } = await judgeCall(ctx, question, at.call.task_queue)
  throwIfStopped()
  const refusal = refusalOf(at, judgement)
  if (refusal !== null) {
    await refuseGatewayCall(ctx, requestId, refusal.why, refusal.reason)
    return false
  }
  const policy = withGatewayWorkers(await ctx.policies.inForce())
  const { tool: name } = at.request
  const tool = (await ctx.registryOf(policy, question.worker, [name])).get(name)
  throwIfStopped()
  if (tool === undefined) {
    await refuseGatewayCall(ctx, requestId, 'failed', 'the server offers no such tool')
    return false
  }
  const workspace = await ctx.workspaceOf(
    { taskQueue: at.call.task_queue, workspace: defaultWorkspace },
    policy,
  )
  const { policyDigest } = judgement
  const digest = callDigest(judgement)
  throwIfStopped()
  const permit = await consumeGatewayPermit(ctx, requestId, { digest, policyDigest, signal })
  if (permit === 'judge_again') return makeCall(ctx, input)
  if (permit === 'none') return false
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
    return true
  }
  const state = result.type === 'error' ? 'failed' : 'succeeded'
  const { notMade: why } = result
  const kind = why === 'changed' ? why : 'failed'
  const notMade =
    why === undefined ? null : ({ refusal: kind, reason: why, words: result.text } as const)
  await untilStored(() =>
    finishGatewayCall(ctx, requestId, { state, result: returnedContent(result), notMade }),
  )
  return true
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
