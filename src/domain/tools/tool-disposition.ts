/**
 * What happened to a call that needed an approval, by the names of the extension
 * `io.modelcontextprotocol/tool-approval` (SEP-2848).
 */
const toolDispositions = [
  'approved-executed',
  'denied-not-executed',
  'execution-error',
  'outcome-unknown',
] as const
export type ToolDisposition = (typeof toolDispositions)[number]

/** Why an approved gateway call was not made: policy or the server has changed. */
const gatewayRefusals = ['blocked', 'changed', 'asks', 'failed', 'cancelled'] as const
export type GatewayRefusal = (typeof gatewayRefusals)[number]
