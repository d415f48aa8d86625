import { Problem } from '#domain/problem.ts'
import type { Db } from '#store/database.ts'
import { existingRequest, type RequestLocation } from '../requests/people/find-request.ts'

/** The request that an id or number names. Rejects with `not_found`. */
export async function requestToErase(db: Db, reference: string): Promise<RequestLocation> {
  const request = await existingRequest(db, reference)
  if (request === null) throw new Problem('not_found', 'There is no such request')
  return request
}
