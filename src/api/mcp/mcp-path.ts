/** The gateway's address of a server of countersign.yaml. */
export const mcpPath = '/mcp/:server'

/** The address of the permission tool. */
export const permissionPath = '/mcp'
