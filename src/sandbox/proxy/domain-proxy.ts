import { randomUUID } from 'node:crypto'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { judgeTarget, TargetRefused, type ProxyHost } from './judge-target.ts'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'

/** A proxy that leads to listed domains only. */
export interface DomainProxy {
  /** answers connections of a server that already listens */
  serve(server: Server): void
  /** what was refused, each sentence once, in order */
  refusals(): readonly string[]
  /** ends every connection */
  close(): void
}

const maxConnections = 128
const connectWithinMs = 15_000
/** More refusals are reported to the command only. */
const maxRefusals = 20
const authority = /^(?<host>\[[0-9a-f:.]+\]|[^\s:@/[\]]+):(?<port>[0-9]{1,5})$/i

/**
 * An HTTP proxy for the commands of one sandbox: `CONNECT` and plain HTTP, only to the domains in
 * `entries`. It resolves names itself. Every refusal is an answer 403 with a line that says why.
 */
export function createDomainProxy(entries: readonly string[], host: ProxyHost): DomainProxy {
  const open = new Set<Duplex>()
  const refusals = new Set<string>()
  /** One look-up of a name at a time, so that a command cannot use all threads for look-ups. */
  const lane = randomUUID()

  const hold = <T extends Duplex>(socket: T): T => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    return socket
  }
  const sentenceOf = (error: unknown): string => {
    const isRefusal = error instanceof TargetRefused
    const sentence = isRefusal ? error.message : `The connection failed (${codeOf(error)}).`
    if (isRefusal && refusals.size < maxRefusals) refusals.add(sentence)
    return sentence
  }
  const reach = async (target: { host: string; port: number }): Promise<Socket> => {
    const addresses = await oneAtATime(lane, async () => judgeTarget(entries, target, host))
    let failure: unknown = new Error('no address answered')
    for (const address of addresses) {
      try {
        return hold(await connectTo(address, target.port))
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  const http = createServer({
    maxHeaderSize: 32 * 1024,
    requestTimeout: 0,
    requireHostHeader: false,
  })
  http.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    hold(socket)
    void tunnel(request.url ?? '', socket, head)
  })
  http.on('request', (request, answer) => void forward(request, answer))
  http.on('clientError', (_, socket) => socket.destroy())

  async function tunnel(url: string, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const { host: name, port } = authority.exec(url)?.groups ?? {}
      if (name === undefined || port === undefined) throw refuseMalformed()
      const upstream = await reach({ host: name, port: Number(port) })
      if (socket.destroyed) return void upstream.destroy()
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      socket.once('close', () => upstream.destroy())
      upstream.once('close', () => socket.destroy())
      socket.pipe(upstream).pipe(socket)
    } catch (error) {
      const line = lineOf(sentenceOf(error))
      socket.end(
        `HTTP/1.1 ${statusOf(error)} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n` +
          `content-length: ${Buffer.byteLength(line)}\r\nconnection: close\r\n\r\n${line}`,
      )
    }
  }

  async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const url = URL.parse(incoming.url ?? '')
      const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === ''
      if (url === null || !isPlain) throw refuseMalformed()
      const port = url.port === '' ? 80 : Number(url.port)
      const upstream = await reach({ host: url.hostname, port })
      if (answer.destroyed) return void upstream.destroy()
      const sent = request({
        createConnection: () => upstream,
        method: incoming.method ?? 'GET',
        path: `${url.pathname}${url.search}`,
        // The judged host is sent to the server: a header cannot name another one.
        headers: { ...forwardedHeaders(incoming), host: url.host },
        setHost: false,
      })
      sent.once('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, forwardedHeaders(response))
        response.pipe(answer)
      })
      sent.once('error', (error) => refuse(answer, error))
      answer.once('close', () => upstream.destroy())
      incoming.pipe(sent)
    } catch (error) {
      refuse(answer, error)
    }
  }

  function refuse(answer: ServerResponse, error: unknown): void {
    if (answer.headersSent) return void answer.destroy()
    answer.writeHead(statusOf(error), {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    })
    answer.end(lineOf(sentenceOf(error)))
  }

  return {
    serve(server) {
      server.maxConnections = maxConnections
      server.on('connection', (socket: Socket) => http.emit('connection', hold(socket)))
    },
    refusals: () => [...refusals],
    close() {
      for (const socket of open) socket.destroy()
    },
  }
}

function lineOf(sentence: string): string {
  return `countersign: ${sentence}\n`
}

function refuseMalformed(): TargetRefused {
  return new TargetRefused('This proxy takes CONNECT HOST:PORT and http:// addresses only.')
}

function statusOf(error: unknown): number {
  return error instanceof TargetRefused ? 403 : 502
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
}

function connectTo(address: string, port: number): Promise<Socket> {
  const socket = connect({ host: address, port })
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.setTimeout(connectWithinMs, () => socket.destroy(new Error('it did not answer in time')))
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.setTimeout(0)
    socket.off('error', reject)
    resolve(socket)
  })
  return promise
}

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). */
const ofConnection = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

function forwardedHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const named = (message.headers.connection ?? '').toLowerCase().split(',')
  const omittedNames = new Set([...ofConnection, ...named.map((name) => name.trim())])
  // The framing of the body must not be dropped: the rest would be read as a request.
  omittedNames.delete('transfer-encoding')
  omittedNames.delete('content-length')
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
      omittedNames.has(name) ? [] : [[name, values.length === 1 ? (values[0] ?? '') : values]],
    ),
  )
}
