import { hashJson } from '#domain/json/digest.ts'
import type { McpServer } from '#policy/worker-definition.ts'

/** The connection of a server in the worker file: references to secrets, never the secrets. */
export function plainTransport({ transport }: Pick<McpServer, 'transport'>) {
  return transport.type === 'http'
    ? { type: 'http', url: transport.url, headers: { ...transport.headers } }
    : {
        type: 'stdio',
        command: transport.command,
        args: [...transport.args],
        env: { ...transport.env },
      }
}

/** `sha256:…` of a server's connection: definitions of another address or command do not count. */
export function hashOfServer(server: Pick<McpServer, 'transport'>): string {
  return hashJson(plainTransport(server))
}
