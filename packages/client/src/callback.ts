import { fromBase64, hmacKey, toBase64, utf8, type ImportedKey } from './bytes.ts'
import { CountersignError } from './errors.ts'
import type { RequestState } from './request.ts'
import { asObject } from './transport.ts'

/**
 * A callback as a server received it: a `Request`, or its headers and the text of its body for
 * servers that have no `Request`, such as Express (with the body as text, before it is parsed).
 */
export type ReceivedCallback =
  | Request
  | {
      readonly headers: Headers | Readonly<Record<string, string | string[] | undefined>>
      readonly body: string
    }

/** The content of a callback. Fetch the request for everything else. */
export interface Callback {
  readonly requestId: string
  readonly externalId: string
  readonly state: RequestState
}

/** How far the time of a callback may be from this clock, in either direction. */
const maxAgeMs = 5 * 60_000

/**
 * The secret with which the service signs callbacks (`callbackUrl`) for requests of this API key,
 * in the form of Standard Webhooks: `whsec_…`.
 *
 * @example new Webhook(await callbackSecret(apiKey)).verify(body, headers)
 */
export async function callbackSecret(apiKey: string): Promise<string> {
  const key = await hmacKey(utf8(apiKey), 'sign')
  const mac = await crypto.subtle.sign('HMAC', key, utf8('countersign/callback/v1'))
  return `whsec_${toBase64(mac)}`
}

/**
 * Verifies the signature (Standard Webhooks) and the age of a callback, and resolves to its
 * content. Rejects with `bad_signature` if one of them is wrong. The same callback may arrive more
 * than once.
 */
export async function verifyCallback(
  apiKey: string,
  received: ReceivedCallback,
): Promise<Callback> {
  const { body } = received
  const text = typeof body === 'string' ? body : await (received as Request).text()
  const header = (name: string): string => readHeader(received.headers, `webhook-${name}`)
  const id = header('id')
  const timestamp = header('timestamp')
  const signatures = header('signature')
  const ageMs = Math.abs(Date.now() - Number(timestamp) * 1000)
  if (!/^\d+$/.test(timestamp) || ageMs > maxAgeMs)
    throw badSignature('its time is more than 5 minutes off')
  const secret = (await callbackSecret(apiKey)).slice('whsec_'.length)
  const key = await hmacKey(fromBase64(secret), 'verify')
  const signedBytes = utf8(`${id}.${timestamp}.${text}`)
  for (const signature of signatures.split(' ')) {
    if (await holds(key, signature, signedBytes)) return read(text)
  }
  throw badSignature('its signature is not valid')
}

function readHeader(headers: ReceivedCallback['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : ''
}

async function holds(
  key: ImportedKey,
  signature: string,
  signedBytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const mac = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
  return mac !== undefined && crypto.subtle.verify('HMAC', key, fromBase64(mac), signedBytes)
}

function read(text: string): Callback {
  const { externalId, requestId, state } = asObject(asObject(JSON.parse(text))['data'])
  return {
    requestId: String(requestId),
    externalId: String(externalId),
    state: state as RequestState,
  }
}

function badSignature(why: string): CountersignError {
  return new CountersignError('bad_signature', `The service did not send this callback: ${why}`)
}
