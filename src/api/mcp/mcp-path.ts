/** The gateway's address of a server of countersign.yaml. */
export const mcpPath = '/mcp/:server'
