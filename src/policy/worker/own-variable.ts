/** What no MCP server may be given: the service's own settings and secrets. */
export function isOwnVariable(name: string): boolean {
  return /^(COUNTERSIGN_|TEMPORAL_|PG|DATABASE_URL$)/.test(name)
}
