import type { Duplex } from 'node:stream'
import { TargetRefused } from './judge-target.ts'
import type { ProxyConnections } from './proxy-connections.ts'
import { malformed, type ProxyRefusals } from './proxy-refusals.ts'

const authority = /^(?<host>\[[0-9a-f:.]+\]|[^\s:@/[\]]+):(?<port>[0-9]{1,5})$/i

/** Answers a request `CONNECT`: joins the client's connection to one to the host that it names. */
export async function tunnel(
  { connections, refusals }: { connections: ProxyConnections; refusals: ProxyRefusals },
  url: string,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  try {
    const { host, port } = authority.exec(url)?.groups ?? {}
    if (host === undefined || port === undefined) throw new TargetRefused(malformed)
    const upstream = await connections.reach({ host, port: Number(port) })
    if (socket.destroyed) return void upstream.destroy()
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    socket.once('close', () => upstream.destroy())
    upstream.once('close', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  } catch (error) {
    const { status, body } = refusals.answerTo(error)
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
}
