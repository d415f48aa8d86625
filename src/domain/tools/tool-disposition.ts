/**
 * What became of a call that had to be approved, in the words of the extension
 * `io.modelcontextprotocol/tool-approval` (SEP-2848).
 */
export const toolDispositions = [
  'approved-executed',
  'denied-not-executed',
  'execution-error',
  'outcome-unknown',
] as const
export type ToolDisposition = (typeof toolDispositions)[number]

/** Why an approved call of the gateway was not made: policy or the server says otherwise by now. */
export const gatewayRefusals = ['blocked', 'changed', 'asks', 'failed', 'cancelled'] as const
export type GatewayRefusal = (typeof gatewayRefusals)[number]
