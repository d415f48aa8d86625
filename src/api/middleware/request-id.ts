import type { RequestHandler } from 'express'
import { newId } from '#domain/new-id.ts'
import { currentRequest, type CurrentRequest } from '#services/core/current-request.ts'
import { networkOfRequest } from './failure-limit.ts'

/** Ids of proxies: a UUID or 32 hex digits. No other text of callers is logged. */
const idOfProxy = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/**
 * Gives every request an id, the proxy's or a new one: in the answer's header, in problems and in
 * every line of the log.
 */
export const requestId: RequestHandler = (request, response, next) => {
  const header = request.get('x-request-id')
  const id = header !== undefined && idOfProxy.test(header) ? header.toLowerCase() : newId()
  response.locals['requestId'] = id
  response.set('x-request-id', id)
  const traceparent = request.get('traceparent')
  const caller = `address ${networkOfRequest(request)}`
  const current: CurrentRequest = {
    requestId: id,
    traceparent,
    subject: null,
    caller,
    hasCommitted: false,
    freeBody: null,
  }
  response.locals['current'] = current
  currentRequest.run(current, next)
}
