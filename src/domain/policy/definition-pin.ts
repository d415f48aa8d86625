/**
 * Of the definitions of an MCP server in the version in force. `waiting`: not heard since the
 * activation, so its tools ask. `forged`: not what was signed, so nothing of it runs.
 */
export const pinStates = ['pinned', 'waiting', 'forged'] as const
export type PinState = (typeof pinStates)[number]
