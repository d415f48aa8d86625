import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { errorMessage } from '#domain/error-message.ts'
import {
  answerContent,
  denyPermission,
  permissionTool,
  readQuestion,
} from '#domain/hooks/permission-tool.ts'
import { version } from '#runtime/version.ts'
import { askPermission, type PermissionSettings } from './ask-permission.ts'

/**
 * The server of `--permission-prompt-tool`. Its only tool answers whether a call may be made, in
 * the form that the agent reads. Invalid arguments are a denial too.
 */
export function permissionServer(settings: PermissionSettings): Server {
  const server = new Server({ name: 'countersign', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [permissionTool] }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (params.name !== permissionTool.name) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name')
    }
    try {
      const question = readQuestion(params.arguments ?? {})
      return answerContent(await askPermission(question, settings, mcpReq.signal))
    } catch (error) {
      return answerContent(denyPermission(errorMessage(error)))
    }
  })
  return server
}
