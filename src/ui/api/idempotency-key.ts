import { hexOf } from './digests.ts'

/** Makes an idempotency key. Works also on plain HTTP, where browsers have no `randomUUID`. */
export function newIdempotencyKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)))
}
