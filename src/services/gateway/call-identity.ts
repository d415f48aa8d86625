import { hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'

/** A call as a client makes it. */
export interface GatewayCall {
  readonly server: string
  /** the server's own name */
  readonly tool: string
  readonly input: JsonObject
  /** keeps equal calls apart on purpose */
  readonly externalId: string | null
  /** the client's own name of this call, where it sends one */
  readonly clientCallId: string | null
  /** what the client says it is */
  readonly client: string | null
}

/**
 * Which call it is: of this key, with this server, tool, arguments and `externalId`. The client's
 * own id is not part of it, since a model that calls again gets another one.
 */
export function callKey(keyId: string, call: GatewayCall): string {
  const { server, tool, input, externalId } = call
  return hashJson({ keyId, server, tool, input, externalId })
}

/** The name under which policy, people and the trail know the tool. */
export function policyNameOf({ server, tool }: Pick<GatewayCall, 'server' | 'tool'>): string {
  return `mcp__${server}__${tool}`
}

/** How long the end of a call is answered again. */
export const answeredAgainMs = 10 * 60 * 1000

/** What is known of an earlier call with the same key. */
export interface EarlierCall {
  readonly verdict: 'ask' | 'preApproved'
  /** by its caller, or by a refusal before it was made */
  readonly isGivenUp: boolean
  readonly wasLeft: boolean
  /** since somebody was told its end; `null`: nobody was */
  readonly toldForMs: number | null
  readonly clientCallId: string | null
}

/**
 * Whether a call is the earlier one made again. What people were asked about goes on until its end
 * was told, whoever calls; from then on a call with another id is a new one, and after ten minutes
 * every call is. What nobody is asked about is made each time, unless the caller was sent away
 * before its end or names the same call.
 */
export function isSameCall(
  earlier: EarlierCall,
  call: Pick<GatewayCall, 'externalId' | 'clientCallId'>,
): boolean {
  if (earlier.isGivenUp) return false
  const isNamed = call.externalId !== null || call.clientCallId !== null
  const isNamedAlike = call.externalId !== null || call.clientCallId === earlier.clientCallId
  const { toldForMs } = earlier
  if (earlier.verdict === 'preApproved' && !(isNamed && isNamedAlike)) {
    return earlier.wasLeft && toldForMs === null
  }
  if (toldForMs === null) return true
  return isNamedAlike && toldForMs < answeredAgainMs
}
