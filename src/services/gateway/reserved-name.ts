/**
 * Whether a tool is named as one of ours could be. No server's tool is offered or called under such
 * a name: it could be taken for the gateway's own.
 */
export function isReservedName(tool: string): boolean {
  return /^countersign/i.test(tool)
}
