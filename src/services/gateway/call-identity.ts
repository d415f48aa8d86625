import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'

/** A call as a client makes it. */
export interface GatewayCall {
  readonly server: string
  /** the name by which the server knows it */
  readonly tool: string
  readonly input: JsonObject
  /** distinguishes equal calls that are separate on purpose */
  readonly externalId: string | null
  /** the client's id of this call, if it sends one */
  readonly clientCallId: string | null
  /** what the client claims to be */
  readonly client: string | null
}

/**
 * The identity of a call: this key, server, tool, arguments and `externalId`. The client's own id
 * is not part of it, since a model that calls again gets another one.
 */
export function callKey(keyId: string, call: GatewayCall): string {
  const { server, tool, input, externalId } = call
  return hashJson({ keyId, server, tool, input, externalId })
}

/** The tool's name in policy, for people and in the trail. */
export function policyNameOf({ server, tool }: Pick<GatewayCall, 'server' | 'tool'>): string {
  return `mcp__${server}__${tool}`
}

/** How long the end of a call is returned again. */
const answeredAgainMs = 10 * 60 * 1000

/** An earlier call with the same identity. */
export interface EarlierCall {
  readonly verdict: 'ask' | 'preApproved'
  /** by its caller, or by a refusal before it was made */
  readonly isGivenUp: boolean
  readonly wasLeft: boolean
  /** milliseconds since its end was first returned; `null`: never */
  readonly endReturnedForMs: number | null
  readonly clientCallId: string | null
}

/**
 * Whether a call is the earlier one made again. A call that people were asked about continues until
 * its end was returned, whoever calls; after that a call with another id is a new one, and after
 * ten minutes every call is. A call that nobody is asked about is made each time, unless its caller
 * was disconnected before its end or names the same call.
 */
export function isSameCall(
  earlier: EarlierCall,
  call: Pick<GatewayCall, 'externalId' | 'clientCallId'>,
): boolean {
  if (earlier.isGivenUp) return false
  const isNamed = call.externalId !== null || call.clientCallId !== null
  const isNamedAlike = call.externalId !== null || call.clientCallId === earlier.clientCallId
  const { endReturnedForMs } = earlier
  if (earlier.verdict === 'preApproved' && !(isNamed && isNamedAlike)) {
    return earlier.wasLeft && endReturnedForMs === null
  }
  if (endReturnedForMs === null) return true
  return isNamedAlike && endReturnedForMs < answeredAgainMs
}
