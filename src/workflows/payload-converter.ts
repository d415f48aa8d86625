import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/workflow'

/** Far more than any argument or answer of the service has. */
const maxBytes = 256 * 1024

/**
 * Turns payloads into values for workflows, and unreadable ones into `undefined`. A program that
 * reaches Temporal can send any bytes, and a payload that throws would fail every later workflow
 * task of the run (security.md 31).
 */
export const payloadConverter: PayloadConverter = Object.freeze({
  toPayload: defaultPayloadConverter.toPayload.bind(defaultPayloadConverter),
  fromPayload: <T>(payload: Payload | null | undefined) => valueOf(payload) as T,
})

function valueOf(payload: Payload | null | undefined): unknown {
  const encoding = payload?.metadata?.['encoding']
  const data = payload?.data
  // Checked first: a single signal can have a million payloads, and an error costs much more than
  // this.
  if (encoding?.length !== jsonPlain.length || data === null || data === undefined) return undefined
  if (data.length > maxBytes || !isJson(encoding)) return undefined
  try {
    return defaultPayloadConverter.fromPayload(payload as Payload)
  } catch {
    return undefined
  }
}

const jsonPlain = 'json/plain'

function isJson(encoding: Uint8Array): boolean {
  return encoding.every((byte, at) => byte === jsonPlain.charCodeAt(at))
}
