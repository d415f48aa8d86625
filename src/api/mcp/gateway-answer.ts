import type { CallToolResult } from '@modelcontextprotocol/server'
import type { JsonObject } from '#domain/json/json.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import type { ToolDisposition } from '#domain/tools/tool-disposition.ts'
import type { GatewayCallState } from '#services/gateway/read-call-state.ts'
import { waitsForNextCall } from './follow-call.ts'
import { asTheirWords, type ServerWords } from './their-words.ts'

/** The extension by which results say what became of their calls (SEP-2848). */
export const approvalExtension = 'io.modelcontextprotocol/tool-approval'
const dispositionKey = `${approvalExtension}-disposition`

/** A call that was not made, with the reason in words. */
export function notExecuted(text: string): CallToolResult {
  return {
    content: [{ type: 'text', text: `${text} Nothing ran.` }],
    isError: true,
    _meta: { [dispositionKey]: 'denied-not-executed' satisfies ToolDisposition },
  }
}

/**
 * Whether a call that was not made can still be allowed by somebody (SEP-2643). `hint` names what
 * the client can do next.
 */
export function authorizationMeta(remediation: 'available' | 'unavailable', hint?: 'task') {
  const hints = hint === undefined ? {} : { remediationHints: [{ type: hint }] }
  const denial = { reason: 'insufficient_authorization', remediation, ...hints }
  return { 'io.modelcontextprotocol/authorization': denial }
}

/** A call that was denied for good, and so not made. */
export function deniedResult(text: string): CallToolResult {
  const result = notExecuted(text)
  return { ...result, _meta: { ...result._meta, ...authorizationMeta('unavailable') } }
}

/** A refusal or failure of the gateway itself, which has no call. */
export function failureResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * The answer to a client: the answer of the server with what happened to the call, or a text that
 * says why there is no answer (yet) and how to continue. `result` is the server's answer.
 */
export function gatewayAnswer(
  callState: GatewayCallState,
  publicUrl: string,
  result: JsonObject | null,
): CallToolResult {
  const named = `request #${callState.number}`
  if (callState.outcome !== null) return endedResult(callState, result)
  switch (callState.state) {
    case 'pending':
      return pendingResult(callState, publicUrl)
    case 'denied': {
      const why = callState.reason === null ? '' : ` with the reason “${callState.reason}”`
      return deniedResult(`DENIED, not run: ${names(callState)} denied this call (${named})${why}.`)
    }
    case 'expired':
      return deniedResult(`EXPIRED, not run: nobody decided in time (${named}).`)
    case 'cancelled':
      return deniedResult(`WITHDRAWN, not run: this call was withdrawn (${named}).`)
    case 'approved':
  }
  if (callState.permit === 'revoked') {
    return deniedResult(`REVOKED, not run: the approval was revoked (${named}).`)
  }
  if (callState.permit === 'lapsed') {
    return deniedResult(
      `LAPSED, not run: the approval was not used in time (${named}); call again.`,
    )
  }
  if (callState.refusal !== null) {
    const why = callState.refusalReason ?? callState.refusal
    // The ledger says that the permit was used before, although the row does not: a call may have
    // been made with it.
    if (callState.refusal === 'failed' && callState.hasStarted) {
      return unknownResult(`${why} (${named}). It is not carried out now.`)
    }
    return deniedResult(`REFUSED, not run: ${why} (${named}).`)
  }
  if (waitsForNextCall(callState)) {
    const text = `ALLOWED, not run yet (${named}). ${again(callState)}`
    return waitingResult(callState, publicUrl, { status: 'approved', text })
  }
  // A caller that calls again after another connection got the result opens a new request.
  const text = `RUNNING: this call was allowed and is being carried out (${named}). Its result is not there yet. Wait ${byWaiting(callState)}`
  return waitingResult(callState, publicUrl, { status: 'running', text })
}

/**
 * The words and the data about a call that waits. The data has the words too: Claude Code shows its
 * model nothing else of a result that has data.
 */
export function waitingResult(
  callState: GatewayCallState,
  publicUrl: string,
  { status, text }: { readonly status: string; readonly text: string },
): CallToolResult {
  const { requestId, number, queue, expiresAt } = callState
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      message: text,
      requestId,
      number: Number(number),
      url: requestUrl(publicUrl, callState.requestId),
      queue,
      expiresAt: expiresAt.toISOString(),
      status,
    },
  }
}

function pendingResult(callState: GatewayCallState, publicUrl: string): CallToolResult {
  const { number, queue, team, expiresAt } = callState
  const url = requestUrl(publicUrl, callState.requestId)
  const text = [
    `PENDING, not run: this call waits as request #${number} for somebody of ${team} to decide (queue ${queue}): ${url}`,
    `Nobody behind this call can approve it. ${againOrWait(callState)}`,
    `It expires at ${expiresAt.toISOString()}.`,
  ].join('\n')
  const result = waitingResult(callState, publicUrl, { status: 'pending', text })
  return { ...result, _meta: authorizationMeta('available') }
}

/** The result of a call that may have been made: nobody knows whether it had its effect. */
function unknownResult(sentence: string): CallToolResult {
  return {
    content: [{ type: 'text', text: `OUTCOME UNKNOWN: ${sentence}` }],
    isError: true,
    _meta: { [dispositionKey]: 'outcome-unknown' satisfies ToolDisposition },
  }
}

function again({ tool }: GatewayCallState): string {
  return `To go on, call ${tool} again with the same arguments: nothing is asked twice, and it runs once.`
}

function againOrWait(callState: GatewayCallState): string {
  return `${again(callState)} Or wait ${byWaiting(callState)}`
}

function byWaiting({ number }: GatewayCallState): string {
  return `with ${waitTool} {"id": "${number}"}.`
}

/** The gateway's own tools besides those of a server. */
export const waitTool = 'countersign_wait'
export const withdrawTool = 'countersign_withdraw'

function endedResult(callState: GatewayCallState, result: JsonObject | null): CallToolResult {
  const { outcome, number, check, verdict } = callState
  if (outcome === 'unknown') {
    const checkNote = check === null ? '' : ` Request #${check} asks people whether it took effect.`
    return unknownResult(
      `this call was started (request #${number}), and nobody knows whether it took effect. It is not carried out a second time.${checkNote}`,
    )
  }
  if (result === null) return settledResult(callState)
  // The stored text is the service's own: no answer of the server is there.
  if (callState.refusal !== null) {
    const why = callState.refusalReason ?? 'this call did not reach the server'
    return notExecuted(
      `NOT RUN: ${why.replace(/[.]$/, '')} (request #${number}). It can be called again.`,
    )
  }
  const { isError } = result
  const { content, structuredContent } = asTheirWords(result as ServerWords)
  const disposition: ToolDisposition = isError === true ? 'execution-error' : 'approved-executed'
  const preface =
    verdict === 'preApproved'
      ? []
      : [{ type: 'text' as const, text: `[${carriedOut(callState, isError === true)}]` }]
  // A model that gets the data alone must know that the data is about other arguments than its own.
  const [sentence] = callState.wasEdited ? preface : []
  const more = sentence === undefined ? {} : { countersign: sentence.text }
  return {
    content: [...content, ...preface],
    ...(structuredContent === undefined
      ? {}
      : { structuredContent: { ...structuredContent, ...more } }),
    ...(isError === true ? { isError: true } : {}),
    _meta: { [dispositionKey]: disposition },
  }
}

/** A person has settled a call whose answer was lost. */
function settledResult({ outcome, number }: GatewayCallState): CallToolResult {
  return outcome === 'succeeded'
    ? {
        content: [
          {
            type: 'text',
            text: `RAN: a person found that this call took effect (request #${number}). What the server answered was lost.`,
          },
        ],
        _meta: { [dispositionKey]: 'approved-executed' satisfies ToolDisposition },
      }
    : notExecuted(
        `NOT RUN: a person found that this call did not take effect (request #${number}).`,
      )
}

function carriedOut(callState: GatewayCallState, isError: boolean): string {
  const { number, wasEdited } = callState
  const edited = wasEdited ? ' It ran with other arguments than yours, as they were decided.' : ''
  const how = isError ? 'The server was called and answered with an error.' : 'It ran.'
  return `Countersign: approved by ${names(callState)} as request #${number}. ${how}${edited}`
}

function names({ deciders }: GatewayCallState): string {
  return deciders.length === 0 ? 'somebody' : deciders.join(' and ')
}
