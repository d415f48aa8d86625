import type { RequestHandler } from 'express'
import { v7 as uuidv7 } from 'uuid'

/** Gives every request an id of ours, in the answer's header, in problems and in the log. */
export const requestId: RequestHandler = (_request, response, next) => {
  const id = uuidv7()
  response.locals['requestId'] = id
  response.set('x-request-id', id)
  next()
}
