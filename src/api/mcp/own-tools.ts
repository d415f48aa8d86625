import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import { Problem } from '#domain/problem.ts'
import type { Caller } from '#services/core/context.ts'
import { withdrawRequest } from '#services/external/withdraw-request.ts'
import { readCallState } from '#services/gateway/read-call-state.ts'
import type { Api } from '../context/api.ts'
import type { Attempt } from '../route/recording-refusals.ts'
import { reportState } from './call-tool.ts'
import { followCall } from './follow-call.ts'
import {
  gatewayAnswer,
  failureResult,
  waitTool,
  waitingResult,
  withdrawTool,
} from './gateway-answer.ts'

const maxWaitSeconds = 45

const id = {
  type: 'string',
  description: 'number or id of the request, as the pending answer names it',
} as const

/** The gateway's tools besides a server's own. None of them decides anything. */
export const ownTools: readonly Tool[] = [
  {
    name: waitTool,
    description:
      'Waits for the decision on a pending call. Decides and runs nothing: once it is approved, call its tool again with the same arguments. Returns the result of a call that has run. If that answer is lost, wait again: another call of the tool may open a new request.',
    inputSchema: {
      type: 'object',
      properties: {
        id,
        seconds: { type: 'integer', minimum: 0, maximum: maxWaitSeconds, default: maxWaitSeconds },
      },
      required: ['id'],
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: withdrawTool,
    description: 'Withdraws a pending call that is no longer wanted.',
    inputSchema: { type: 'object', properties: { id }, required: ['id'] },
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
]

const wrongSeconds = `\`seconds\` must be a whole number from 0 to ${maxWaitSeconds}`

/** The input of {@link ownTools}. A model may also send the number of a request as a number. */
const ownInput = z.object({
  id: z.union([z.string(), z.number()], 'Give the `id`'),
  seconds: z
    .int(wrongSeconds)
    .min(0, wrongSeconds)
    .max(maxWaitSeconds, wrongSeconds)
    .default(maxWaitSeconds),
})

interface OwnCall {
  readonly server: string
  readonly name: string
  readonly input: JsonObject
  readonly signal: AbortSignal
  readonly attempt: Attempt
}

/**
 * Answers a call of one of {@link ownTools}; `null`: it is a tool of the server. A call that the
 * caller may not see is a result with a sentence: models read results, not errors of the protocol.
 */
export async function callOwnTool(
  api: Api,
  caller: Caller,
  call: OwnCall,
): Promise<CallToolResult | null> {
  try {
    return await answerOwnTool(api, caller, call)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    return failureResult(`${error.message}.`)
  }
}

async function answerOwnTool(
  api: Api,
  caller: Caller,
  call: OwnCall,
): Promise<CallToolResult | null> {
  const { server, name, input, signal, attempt } = call
  if (name !== waitTool && name !== withdrawTool) return null
  const sent = ownInput.safeParse(input)
  if (!sent.success) return failureResult(`${sent.error.issues[0]?.message ?? 'Give the `id`'}.`)
  const request = String(sent.data.id).replace(/^#/, '')
  const find = () => readCallState(api.ctx, caller, server, { request })
  if (name === withdrawTool) {
    const { requestId } = await attempt(` ${name}`, find)
    try {
      await attempt(` ${name}`, () => withdrawRequest(api.ctx, caller, { request: requestId }))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return failureResult(`It was not withdrawn: ${error.message}.`)
    }
    return { content: [{ type: 'text', text: `Request ${request} is withdrawn. Nothing ran.` }] }
  }
  const { requestId } = await find()
  const holdMs = sent.data.seconds * 1000
  const following = { server, requestId, holdMs, isForCaller: false, signal, onWait: null }
  const callState = await followCall(api, caller, following)
  // If another connection gets the result first, calling the tool again would open a new request.
  if (callState.outcome !== null) return reportState(api, callState)
  const { content, _meta } = gatewayAnswer(callState, api.settings.publicUrl, null)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  const status = callState.state
  const result = waitingResult(callState, api.settings.publicUrl, { status, text })
  return _meta === undefined ? result : { ...result, _meta }
}
