import { errorMessage } from '#domain/error-message.ts'
import type { SendOutcome } from '../channels/channel.ts'
import { webhookHeaders } from './webhook-secret.ts'
import { postPinned, untilAborted } from './post-pinned.ts'
import { findTarget, type Resolve, type TargetRules } from './find-target.ts'

export interface OutgoingRequest extends TargetRules {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** in milliseconds, for everything: the name, the connection and the answer */
  readonly timeoutMs: number
  readonly stopping: AbortSignal
  readonly resolve?: Resolve
}

/**
 * Posts once, to the address that was checked. Follows no redirect and reads only the status of the
 * answer. Never rejects.
 */
export async function sendWebhook(sending: OutgoingRequest): Promise<SendOutcome> {
  const late = AbortSignal.timeout(sending.timeoutMs)
  const signal = AbortSignal.any([late, sending.stopping])
  try {
    const url = new URL(sending.url)
    const address = await untilAborted(signal, findTarget(url, sending, sending.resolve))
    const { headers, body } = sending
    const { status } = await postPinned({ url, address, headers, body, signal, maxBytes: 0 })
    return { status, error: verdictOn(status) }
  } catch (error) {
    if (sending.stopping.aborted) return { status: null, error: 'the service stopped' }
    if (late.aborted) return { status: null, error: `no answer in ${sending.timeoutMs} ms` }
    return { status: null, error: errorMessage(error).slice(0, 500) }
  }
}

function verdictOn(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400
    ? `it answered ${status}: redirects are not followed`
    : `it answered ${status}`
}

/** One attempt at a CloudEvents envelope, signed as in Standard Webhooks. Never rejects. */
export async function sendSigned(
  keys: readonly Buffer[],
  sending: Omit<OutgoingRequest, 'headers' | 'body'> & {
    readonly id: string
    readonly body: string
  },
): Promise<SendOutcome> {
  const { id, ...rest } = sending
  const outcome = await sendWebhook({
    ...rest,
    headers: {
      'content-type': 'application/cloudevents+json',
      'user-agent': 'countersign',
      ...webhookHeaders(keys, { id, at: new Date(), body: sending.body }),
    },
  })
  // Standard Webhooks: 410 means that the receiver is gone and gets no more deliveries.
  return outcome.status === 410 ? { ...outcome, isFinal: true, isGone: true } : outcome
}
