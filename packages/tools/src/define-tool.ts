import type { z } from 'zod'
import { brand, type DefinedTool, type ToolDefinition } from './tool-definition.ts'

/**
 * Declares a custom tool, usually as the default export of a file in `tools/`.
 *
 * ```ts
 * export default defineTool({
 *   name: 'slack_notify', description: 'Post a message to a channel',
 *   inputSchema: z.object({ channel: z.string(), message: z.string() }),
 *   execute: async ({ channel, message }, { signal }) => post(channel, message, signal),
 * })
 * ```
 */
export function defineTool<Schema extends z.ZodType>(
  definition: ToolDefinition<Schema>,
): DefinedTool<Schema> {
  return { ...definition, [brand]: true }
}

/** Whether `defineTool` made a value, of any copy of this package. */
export function isDefinedTool(value: unknown): value is DefinedTool {
  return typeof value === 'object' && value !== null && brand in value
}
