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

/** The same for the body of an HTTP request. */
export function tracedBody(init: RequestInit | undefined, traceparent: string | null): RequestInit {
  const { body } = init ?? {}
  if (traceparent === null || typeof body !== 'string') return { ...init }
  const message: unknown = JSON.parse(body)
  if (!isObject(message)) return { ...init }
  return { ...init, body: JSON.stringify(tracedMessage(message, traceparent)) }
}
