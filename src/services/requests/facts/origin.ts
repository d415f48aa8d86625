import type { Origin } from '#api/schemas/requests/external.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'

/** What is stored and shown of an origin: everything except the proof. */
export type ReportedOrigin = Omit<Origin, 'proof'>

/** As JSON, without absent members. */
export function originDocument(origin: Origin): JsonObject {
  return JSON.parse(JSON.stringify({ ...origin, proof: undefined })) as { [name: string]: Json }
}
