/**
 * States of an MCP server's definitions in the version in force. `waiting`: the server has not
 * answered since the activation, so its tools ask. `forged`: they are not the signed ones, so
 * nothing of it runs.
 */
export const pinStates = ['pinned', 'waiting', 'forged'] as const
