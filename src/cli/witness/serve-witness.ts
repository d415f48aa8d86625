import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import { sizeContentType } from '#evidence/note/add-checkpoint.ts'
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts'
import type { Witness } from './witness.ts'
import { isLoopback } from '#runtime/config/read-variables.ts'

/** A checkpoint with a hundred signatures and the longest proof has a tenth of this size. */
const maxBytes = 256 * 1024
const plain = 'text/plain; charset=utf-8'

export interface ServedWitness extends AsyncDisposable {
  readonly port: number
  /** rejects when the witness must stop, for example because its disk failed; else pending */
  readonly failed: Promise<never>
}

/**
 * Serves `POST /add-checkpoint` (C2SP tlog-witness) and nothing else. Rejects with a sentence when
 * it cannot listen.
 */
export async function serveWitness(
  witness: Pick<Witness, 'answer'>,
  at: {
    readonly host: string
    readonly port: number
    /** certificate and key in PEM; `null`: without TLS */
    readonly tls: { readonly cert: string; readonly key: string } | null
  },
): Promise<ServedWitness> {
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    respond(witness, request, response).catch((error: unknown) => {
      answer(response, 500, plain, 'The witness stops; its own log has the reason\n')
      failure.reject(error)
    })
  }
  const server = at.tls === null ? createHttp(listener) : createHttps(at.tls, listener)
  server.requestTimeout = 20_000
  server.headersTimeout = 10_000
  server.maxConnections = 256
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new CommandFailure(`Cannot listen on ${at.host}:${at.port}`, exitCodes.failed, { cause }),
      ),
    )
    server.listen({ host: at.host, port: at.port }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    failed: failure.promise,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  witness: Pick<Witness, 'answer'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url !== '/add-checkpoint') return refuse(response, 404, onlyThis)
  if (request.method !== 'POST') return refuse(response.setHeader('allow', 'POST'), 405, onlyThis)
  const body = await readBody(request)
  if (body === 'too long') {
    return refuse(response, 413, `A submission has at most ${maxBytes} bytes\n`)
  }
  if (body === 'cut off') return
  const judgement = await witness.answer(body.text)
  if (judgement.status === 200) return answer(response, 200, plain, judgement.line)
  if (judgement.status === 409) return answer(response, 409, sizeContentType, `${judgement.size}\n`)
  answer(response, judgement.status, plain, `${judgement.sentence}\n`)
}

const onlyThis = 'Only POST /add-checkpoint exists\n'

/** What is left of the request is not read: the connection ends. */
function refuse(response: ServerResponse, status: number, sentence: string): void {
  answer(response.setHeader('connection', 'close'), status, plain, sentence)
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}

async function readBody(
  request: IncomingMessage,
): Promise<{ readonly text: string } | 'too long' | 'cut off'> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > maxBytes) return 'too long'
      parts.push(part)
    }
  } catch {
    return 'cut off'
  }
  return { text: Buffer.concat(parts).toString('utf8') }
}

/**
 * Reads `HOST:PORT` or `[::1]:PORT`. Throws a sentence when it is none, or when other machines
 * could reach it without TLS or a declared proxy (security.md 26). `display`: the host as an
 * address has it.
 */
export function listenAddress(
  text: string,
  isTrusted: boolean,
): { readonly host: string; readonly port: number; readonly display: string } {
  const [, address = '', digits = ''] =
    /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (address === '' || port > 65_535) {
    throw new CommandFailure('--listen takes HOST:PORT, like 127.0.0.1:4480', exitCodes.usage)
  }
  if (!isLoopback(address) && !isTrusted) {
    throw new CommandFailure(
      `--listen ${text} would accept other machines without TLS: give --tls-cert and --tls-key, or put a proxy in ` +
        'front and say --behind-proxy',
      exitCodes.usage,
    )
  }
  return { host: address.replace(/^\[(.*)\]$/, '$1'), port, display: address }
}
