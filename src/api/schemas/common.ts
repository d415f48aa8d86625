import { z } from 'zod'
import type { Json } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'

/** UUIDv7, as every id we make. */
export const id = z.uuid('is not an id')

/** A request is named by its id or by its short number, the same in every path (api.md, Requests). */
export const requestRef = z
  .string()
  .regex(
    /^(?:[1-9][0-9]{0,14}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/,
    'is neither an id nor a number',
  )

/** `sha256:<hex>`. */
export const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256:<64 hex digits>')

/** An instant, ISO 8601 with its zone. Answers are always in UTC. */
export const instant = z.iso.datetime({
  offset: true,
  error: 'must be an instant with its zone, as 2026-01-31T12:00:00Z',
})

/** Names that projects give: workers, queues, teams, tools. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:-]+$/, 'may have letters, digits, and . _ : -')

/** Text for people. NUL and lone surrogates are refused: neither the store nor canonical JSON can carry them. */
export function text(most: number) {
  return z
    .string()
    .max(most, `is over ${most} characters`)
    .refine((value) => value.isWellFormed(), 'has half a surrogate pair')
    .refine((value) => !value.includes('\0'), 'has a NUL character')
}

/** A reason or a comment. */
export const reason = text(limits.reasonCharacters)

/** An e-mail address as people type it; compared in lower case. */
export const email = text(320)
  .pipe(z.email())
  .transform((value) => value.toLowerCase())

/** Anything JSON can say. Bodies are parsed as JSON before a schema sees them, so there is nothing more to check. */
export const json = z
  .custom<Json>((value) => value !== undefined, 'is missing')
  .meta({ id: 'Json', description: 'Any JSON value' })

export const person = z
  .object({ id, name: z.string() })
  .meta({ id: 'Person', description: 'Who, by canonical id' })

const limitRange = `must be a whole number from 1 to ${limits.listMost}`

/** Query fields of every list. */
export const page = {
  cursor: text(1000).optional(),
  limit: z.coerce
    .number(limitRange)
    .int(limitRange)
    .min(1, limitRange)
    .max(limits.listMost, limitRange)
    .default(limits.listDefault),
}

/** The query of a list without filters. */
export const pageQuery = z.strictObject(page)

/** `{items, nextCursor}`; `nextCursor` is null on the last page. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

/** Bodies of verbs that take nothing. Absent and `{}` are the same. */
export const emptyBody = z.strictObject({})

/** The answer of verbs that take something back. */
export const revoked = z.object({ revoked: z.literal(true) })
