/**
 * Whether a tool has a name that the gateway could use itself. No server's tool is offered or
 * called under such a name, since it could be mistaken for the gateway's own.
 */
export function isReservedName(tool: string): boolean {
  return /^countersign/i.test(tool)
}
