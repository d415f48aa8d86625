import { request as requestHttp, type ClientRequest, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'

export interface PinnedRequest {
  readonly url: URL
  /** the address that `findTarget` has checked */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly signal: AbortSignal
  /** how many bytes of the body are read; 0: none. A longer body is an error */
  readonly maxBytes: number
}

export interface PinnedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/**
 * Posts once, to the address that was checked and with the host name of the URL. Follows no
 * redirect. Rejects when the connection fails, the signal aborts or the body is too long.
 */
export function postPinned(question: PinnedRequest): Promise<PinnedResponse> {
  const { url, address, body, maxBytes, signal } = question
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const options: RequestOptions & { servername?: string } = {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method: 'POST',
      headers: {
        ...question.headers,
        host: url.host,
        'content-length': String(Buffer.byteLength(body)),
      },
      agent: false,
      signal,
      // The certificate must be for the configured name, not for the address.
      ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
    }
    const request: ClientRequest = (isTls ? requestHttps : requestHttp)(options)
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const parts: Buffer[] = []
      let byteCount = 0
      response.on('error', reject)
      if (maxBytes === 0) {
        resolve({ status, headers, body: '' })
        response.destroy()
        return
      }
      response.on('data', (part: Buffer) => {
        parts.push(part)
        byteCount += part.length
        if (byteCount > maxBytes) response.destroy(new Error(`it answered over ${maxBytes} bytes`))
      })
      response.on('end', () => resolve({ status, headers, body: Buffer.concat(parts).toString() }))
      response.on('aborted', () => reject(new Error('the answer ended early')))
    })
    request.on('error', reject)
    request.end(body)
  })
}

/**
 * Resolves or rejects with `work`, or rejects as soon as the signal aborts. A DNS lookup cannot be
 * cancelled, so a late result is ignored.
 */
export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason as Error)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
