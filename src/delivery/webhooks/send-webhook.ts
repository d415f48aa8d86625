import { request as requestHttp, type ClientRequest, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { SendOutcome } from '../channels/channel.ts'
import { findTarget, type Resolve, type TargetRules } from './find-target.ts'

export interface Sending extends TargetRules {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** for all of it: name, connection, answer */
  readonly timeoutMs: number
  readonly stopping: AbortSignal
  readonly resolve?: Resolve
}

/**
 * Posts once: to the very address that was checked, no redirect followed, nothing read of the answer but its status.
 * Never rejects.
 */
export async function sendWebhook(sending: Sending): Promise<SendOutcome> {
  const late = AbortSignal.timeout(sending.timeoutMs)
  const signal = AbortSignal.any([late, sending.stopping])
  try {
    const url = new URL(sending.url)
    const address = await orAborted(signal, findTarget(url, sending, sending.resolve))
    const status = await post(url, address, sending, signal)
    return { status, error: verdictOn(status) }
  } catch (error) {
    if (sending.stopping.aborted) return { status: null, error: 'the service stopped' }
    if (late.aborted) return { status: null, error: `no answer in ${sending.timeoutMs} ms` }
    return { status: null, error: (error as Error).message.slice(0, 500) }
  }
}

function verdictOn(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `it answered ${status}: redirects are not followed`
    : `it answered ${status}`
}

function post(url: URL, address: string, sending: Sending, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const isTls = url.protocol === 'https:'
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const options: RequestOptions & { servername?: string } = {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method: 'POST',
      headers: {
        ...sending.headers,
        host: url.host,
        'content-length': String(Buffer.byteLength(sending.body)),
      },
      agent: false,
      signal,
      // The certificate must be that of the name that was configured, not of the address.
      ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
    }
    const asked: ClientRequest = (isTls ? requestHttps : requestHttp)(options)
    asked.on('response', (response) => {
      response.on('error', () => undefined)
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    asked.on('error', reject)
    asked.end(sending.body)
  })
}

/** A name's resolution cannot be called off: what comes late is not waited for. */
async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
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
