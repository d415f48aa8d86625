import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { version } from '#runtime/version.ts'
import { askPermission, type PermissionSettings } from './ask-permission.ts'

/**
 * The server whose only tool answers `--permission-prompt-tool`: whether a call may be made, in the
 * form that the asking agent reads.
 */
export function permissionServer(settings: PermissionSettings): McpServer {
  const server = new McpServer({ name: 'countersign', version })
  server.registerTool(
    'approve',
    {
      title: 'Ask for permission',
      description:
        'Asks whether a tool call may run. Policy and other people decide; this tool approves nothing by itself.',
      inputSchema: z.object({
        tool_name: z.string().min(1).max(200),
        input: z.record(z.string(), z.unknown()),
        tool_use_id: z.string().min(1).max(200).optional(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (question, { mcpReq }) => {
      const answer = await askPermission(question, settings, mcpReq.signal)
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
    },
  )
  return server
}
