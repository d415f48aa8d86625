import type { CallToolResult } from '@modelcontextprotocol/server'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#services/core/context.ts'
import { beginGatewayCall } from '#services/gateway/begin-gateway-call.ts'
import { policyNameOf, type GatewayCall } from '#services/gateway/call-identity.ts'
import {
  gatewayResult,
  readCallState,
  recordReply,
  type GatewayCallState,
} from '#services/gateway/read-call-state.ts'
import type { Api } from '../context/api.ts'
import { followCall, hasEnded } from './follow-call.ts'
import { gatewayAnswer, deniedResult, failureResult, notExecuted } from './gateway-answer.ts'
import { taskOf } from './task-of-call.ts'

/** How often a call that was approved for another definition, or by another policy, asks again. */
const maxRounds = 3

/** A call, and how its caller waits. */
export interface ToolCalling {
  readonly call: GatewayCall
  readonly holdMs: number
  readonly signal: AbortSignal
  /** the server has the tool, and the call has a request */
  readonly onStart: () => void
  readonly onWait: ((callState: GatewayCallState, seconds: number) => void) | null
  /** the client accepts a task as the answer */
  readonly takesTask: boolean
}

/**
 * Calls a tool of a server for a program, or continues an earlier call: it is judged, approved,
 * waited for and carried out once, and the answer says how it ended.
 */
export async function callTool(
  api: Api,
  caller: Caller,
  calling: ToolCalling,
): Promise<CallToolResult> {
  const { call, onStart, takesTask, ...waiting } = calling
  const { publicUrl } = api.settings
  try {
    for (let round = 1; ; round += 1) {
      const beginning = await beginGatewayCall(api.ctx, caller, call, takesTask)
      if (beginning.kind === 'refused') {
        const reason = inTheirNames(asSentence(beginning.reason), call)
        if (beginning.verdict === 'error') return notExecuted(`NOT RUN: ${reason}`)
        return deniedResult(`BLOCKED, not run: ${reason}`)
      }
      const { requestId } = beginning
      onStart()
      const following = { ...waiting, server: call.server, requestId, isForCaller: true }
      const now = await readCallState(api.ctx, caller, call.server, { request: requestId })
      const isTask = takesTask && now.verdict === 'ask'
      const callState = isTask ? now : await followCall(api, caller, following)
      if (round < maxRounds && asksAnew(callState)) continue
      if (!takesTask || hasEnded(callState)) return await reportState(api, callState)
      await recordReply(api.ctx, requestId, 'waits')
      return { content: [], resultType: 'task', ...taskOf(callState, publicUrl) }
    }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return refusalOf(error)
    throw error
  }
}

/** Answers with the state of the call, and records that its caller got it. */
export async function reportState(api: Api, callState: GatewayCallState): Promise<CallToolResult> {
  const { requestId, outcome } = callState
  const result = outcome === null ? null : await gatewayResult(api.ctx, requestId)
  await recordReply(api.ctx, requestId, hasEnded(callState) ? 'end' : 'waits')
  return gatewayAnswer(callState, api.settings.publicUrl, result)
}

/** The approval was for another definition: the same call asks once more. */
function asksAnew({ outcome, permit, refusal }: GatewayCallState): boolean {
  if (refusal === 'changed') return true
  if (outcome !== null) return false
  return permit === 'lapsed' || refusal === 'asks'
}

function asSentence(reason: string): string {
  return /[.?!]$/.test(reason) ? reason : `${reason}.`
}

/** The client knows the server's tools by the server's own names only. */
function inTheirNames(text: string, { server }: GatewayCall): string {
  return text.replaceAll(policyNameOf({ server, tool: '' }), '')
}

/** The refusal of a call for which no request can be opened. */
function refusalOf({ code, message }: Problem): CallToolResult {
  return code === 'rate_limited'
    ? failureResult(`${message}. Try again in a moment, unchanged.`)
    : notExecuted(`REFUSED, not run: ${message}.`)
}
