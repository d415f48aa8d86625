import type { CallToolResult } from '@modelcontextprotocol/server'
import type { JsonObject } from '#domain/json.ts'
import type { ToolDisposition } from '#domain/tool-disposition.ts'
import type { GatewayStanding } from '#services/gateway/gateway-standing.ts'

/** Where a result says what became of its call (SEP-2848). */
const dispositionKey = 'io.modelcontextprotocol/tool-approval-disposition'

/** A call that was not made, with the reason in words. */
export function notExecuted(text: string): CallToolResult {
  return {
    content: [{ type: 'text', text: `${text} Nothing ran.` }],
    isError: true,
    _meta: { [dispositionKey]: 'denied-not-executed' satisfies ToolDisposition },
  }
}

/** A refusal or a failure of ours, which says nothing of a call. */
export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The page of a request for people. */
export function requestUrl(
  publicUrl: string,
  { requestId }: { readonly requestId: string },
): string {
  return `${publicUrl}/requests/${requestId}`
}

/**
 * What a client is told of a call: what the server answered with what became of the call, or in
 * words why there is no answer (yet) and how to go on. `result` is what the server answered.
 */
export function answerOf(
  standing: GatewayStanding,
  publicUrl: string,
  result: JsonObject | null,
): CallToolResult {
  const named = `request #${standing.number}`
  if (standing.outcome !== null) return ended(standing, result)
  switch (standing.state) {
    case 'pending':
      return pending(standing, publicUrl)
    case 'denied': {
      const why = standing.reason === null ? '' : ` with the reason “${standing.reason}”`
      return notExecuted(`DENIED, not run: ${names(standing)} denied this call (${named})${why}.`)
    }
    case 'expired':
      return notExecuted(`EXPIRED, not run: nobody decided in time (${named}).`)
    case 'cancelled':
      return notExecuted(`WITHDRAWN, not run: this call was withdrawn (${named}).`)
    case 'approved':
  }
  if (standing.permit === 'revoked') {
    return notExecuted(`TAKEN BACK, not run: the approval was taken back (${named}).`)
  }
  if (standing.permit === 'lapsed') {
    return notExecuted(`LAPSED, not run: the approval was not used in time (${named}); call again.`)
  }
  if (standing.refusal !== null) {
    return notExecuted(
      `REFUSED, not run: ${standing.refusalReason ?? standing.refusal} (${named}).`,
    )
  }
  return {
    content: [
      {
        type: 'text',
        text: standing.hasStarted
          ? `RUNNING: this call was allowed and is being carried out (${named}). Its result is not there yet. ${again(standing)}`
          : `ALLOWED, not run yet (${named}). ${again(standing)}`,
      },
    ],
    structuredContent: { ...referenceOf(standing, publicUrl), status: 'running' },
  }
}

function pending(standing: GatewayStanding, publicUrl: string): CallToolResult {
  const { number, queue, team, expiresAt } = standing
  const url = requestUrl(publicUrl, standing)
  const text = [
    `PENDING, not run: this call waits as request #${number} for somebody of ${team} to decide (queue ${queue}): ${url}`,
    `Nobody behind this call can approve it. ${again(standing)}`,
    `It expires at ${expiresAt.toISOString()}.`,
  ].join('\n')
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...referenceOf(standing, publicUrl), status: 'pending' },
  }
}

function again({ tool, number }: GatewayStanding): string {
  return `To go on, call ${tool} again with the same arguments: nothing is asked twice, and it runs once. Or wait with ${waitTool} {"id": "${number}"}.`
}

/** The tools that the gateway itself offers beside those of a server. */
export const waitTool = 'countersign_wait'
export const withdrawTool = 'countersign_withdraw'

/** What a program needs to come back to a call. */
export function referenceOf(standing: GatewayStanding, publicUrl: string): JsonObject {
  const { requestId, number, queue, expiresAt } = standing
  const url = requestUrl(publicUrl, standing)
  return { requestId, number: Number(number), url, queue, expiresAt: expiresAt.toISOString() }
}

function ended(standing: GatewayStanding, result: JsonObject | null): CallToolResult {
  const { outcome, number, check, verdict } = standing
  if (outcome === 'unknown') {
    const asked = check === null ? '' : ` People are asked what became of it as request #${check}.`
    return {
      content: [
        {
          type: 'text',
          text: `OUTCOME UNKNOWN: this call was begun (request #${number}) and nobody knows whether it took effect. It is not made a second time.${asked}`,
        },
      ],
      isError: true,
      _meta: { [dispositionKey]: 'outcome-unknown' satisfies ToolDisposition },
    }
  }
  if (result === null) return settled(standing)
  const { content, structuredContent, isError } = result
  const disposition: ToolDisposition = isError === true ? 'execution-error' : 'approved-executed'
  const said =
    verdict === 'preApproved'
      ? []
      : [{ type: 'text' as const, text: `[${carriedOut(standing, isError === true)}]` }]
  return {
    content: [...(content as CallToolResult['content']), ...said],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError: true } : {}),
    _meta: { [dispositionKey]: disposition },
  }
}

/** A person has said what became of a call whose answer was lost. */
function settled({ outcome, number }: GatewayStanding): CallToolResult {
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

function carriedOut(standing: GatewayStanding, isError: boolean): string {
  const { number, wasEdited } = standing
  const edited = wasEdited ? ' It ran with other arguments than yours, as they were decided.' : ''
  const how = isError ? 'The server was called and answered with an error.' : 'It ran.'
  return `Countersign: approved by ${names(standing)} as request #${number}. ${how}${edited}`
}

function names({ deciders }: GatewayStanding): string {
  return deciders.length === 0 ? 'somebody' : deciders.join(' and ')
}
