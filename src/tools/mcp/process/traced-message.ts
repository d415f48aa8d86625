import { isObject } from '#domain/json/is-object.ts'

/**
 * A call of a tool with its place in a trace, in `params._meta` as the Model Context Protocol says
 * (SEP-414). Any other message is returned as it is.
 */
export function tracedMessage<M extends object>(message: M, traceparent: string | null): M {
  const { method, params } = message as { method?: unknown; params?: unknown }
  if (traceparent === null || method !== 'tools/call' || !isObject(params)) return message
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  return { ...message, params: { ...params, _meta: { ...meta, traceparent } } }
}

/** The HTTP request of a message, which `send` may change or refuse. */
export function sentBody(
  init: RequestInit | undefined,
  send: (message: object) => object,
): RequestInit {
  const { body } = init ?? {}
  if (typeof body !== 'string') return { ...init }
  const message: unknown = JSON.parse(body)
  return isObject(message) ? { ...init, body: JSON.stringify(send(message)) } : { ...init }
}
