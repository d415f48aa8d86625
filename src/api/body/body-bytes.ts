import type { Request } from 'express'

/** The bytes of a body that is verified by its signature before it is parsed; none without one. */
export function bodyBytes(request: Request): Buffer {
  const body: unknown = request.body
  return body instanceof Buffer ? body : Buffer.alloc(0)
}
