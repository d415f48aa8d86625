import type { Command } from 'commander'
import { resolve } from 'node:path'
import { usualPermissionSeconds } from '#domain/hooks/permission-tool.ts'
import { processEnvironment } from '#runtime/environment.ts'
import { findService } from '../service/find-service.ts'
import { requireKey } from '../service/require-key.ts'
import { type ServiceOptions, withFolders, withUrl } from '../service/service-options.ts'
import { secondsOf } from '../terminal/wait-seconds.ts'
import { withExamples } from './examples.ts'

interface McpOptions extends ServiceOptions {
  readonly server?: string
  readonly worker?: string
  readonly root?: string
  readonly wait: string
}

/** `countersign mcp`: for agents that start their MCP servers as programs. */
export function addMcpCommand(program: Command): void {
  const command = withUrl(withFolders(program.command('mcp')))
    .description(
      'serve MCP on standard input and output: a server of the gateway, or the permission tool "approve". Needs a key in COUNTERSIGN_API_KEY with the scopes requests:write and requests:read',
    )
    .option('--server <name>', 'a server of countersign.yaml (default: only the tool "approve")')
    .option(
      '--worker <name>',
      'of "approve": the worker whose policy judges first (default: every call asks)',
    )
    .option('--root <dir>', 'of "approve": where the agent works (default: this folder)')
    .option(
      '--wait <seconds>',
      'of "approve": how long to wait for a decision; then the call is denied',
      String(usualPermissionSeconds),
    )
    .action(serve)
  withExamples(command, ['mcp --server files', 'mcp --wait 600'])
}

async function serve(options: McpOptions): Promise<void> {
  const environment = processEnvironment()
  const apiKey = requireKey(environment)
  const { hostProof, url } = await findService(options, environment)
  if (options.server !== undefined) {
    const { forwardMessages } = await import('../mcp/forward-messages.ts')
    const path = `/mcp/${encodeURIComponent(options.server)}`
    const gateway = { url: new URL(path, url), apiKey }
    return forwardMessages(gateway, process.stdin, process.stdout)
  }
  const waitSeconds = secondsOf(options.wait)
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const { permissionServer } = await import('../mcp/permission-server.ts')
  const { messageTransport } = await import('../mcp/message-transport.ts')
  const { waitingCallsOf } = await import('../hook/run-hook.ts')
  const { worker } = options
  serveStdio(
    () =>
      permissionServer({
        service: { url, apiKey },
        ...(worker === undefined ? {} : { worker }),
        root: resolve(options.root ?? '.'),
        hostProof,
        askWithinMs: 20_000,
        waitMs: waitSeconds * 1000,
        waiting: waitingCallsOf(environment),
      }),
    { transport: messageTransport(process.stdin, process.stdout) },
  )
}
