import { z } from 'zod'
import { problemStatus, type ProblemCode } from '#domain/problem.ts'
import { limits } from '#domain/limits.ts'
import { secretKinds } from '#domain/text/secrets.ts'
import type { Json } from '#domain/json/json.ts'
import { isInstant } from '#domain/instant.ts'
import { risks } from '#domain/policy/verdict.ts'
import * as example from './examples.ts'

/** UUIDv7, as every id we make. */
export const id = z.uuid('is not an id')

/** Requests and runs are named by their id or by their short number, the same in every path. */
const reference = z
  .string()
  .regex(
    /^(?:[1-9][0-9]{0,14}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/,
    'is neither an id nor a number',
  )
export const requestRef = reference
export const runRef = reference

/** `sha256:<hex>`. */
export const hash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256:<64 hex digits>')

/** An instant, ISO 8601 with its zone. Answers are always in UTC. */
export const instant = z.iso
  .datetime({
    offset: true,
    error: 'must be an instant with its time zone, such as 2026-01-31T12:00:00Z',
  })
  .refine(isInstant, 'is a date or time that does not exist')

/** Names that projects give: workers, queues, teams, tools. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:-]+$/, 'may contain only letters, digits, and . _ : -')

/**
 * Text for people. NUL and lone surrogates are refused: neither the store nor canonical JSON can
 * carry them.
 */
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

/**
 * Anything JSON can say. Bodies are parsed as JSON before a schema sees them, so there is nothing
 * more to check.
 */
export const json = z
  .custom<Json>((value) => value !== undefined, 'is missing')
  .meta({ id: 'Json', description: 'Any JSON value' })

export const person = z
  .object({ id, name: z.string() })
  .meta({ id: 'Person', description: 'Who, by canonical id', examples: [example.grace] })

/**
 * A whole number in a query, written in decimal digits and nothing else: `0x10`, `1e1`, ` 5` and ``
 * are none.
 */
export function wholeNumber(range: {
  readonly least: number
  readonly most: number
  readonly message: string
}) {
  const { least, most, message } = range
  return z
    .string(message)
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, message)
    .meta({
      override: ({ jsonSchema }: { jsonSchema: object & { pattern?: string } }) => {
        delete jsonSchema.pattern
        Object.assign(jsonSchema, { type: 'integer', minimum: least, maximum: most })
      },
    })
    .transform(Number)
    .pipe(z.int(message).min(least, message).max(most, message))
}

const limitRange = `must be a whole number from 1 to ${limits.listMost}`

/** Query fields of every list. */
export const page = {
  cursor: text(1000).optional(),
  limit: wholeNumber({ least: 1, most: limits.listMost, message: limitRange }).default(
    limits.listDefault,
  ),
}

/** The query of a list without filters. */
export const pageQuery = z.strictObject(page)

/** `{items, nextCursor}`; `nextCursor` is null on the last page. */
export function listOf<T extends z.ZodType>(item: T) {
  const list = z.object({ items: z.array(item), nextCursor: z.string().nullable() })
  const examples = item.meta()?.examples
  return Array.isArray(examples)
    ? list.meta({ examples: [{ items: examples, nextCursor: null }] })
    : list
}

/** Bodies of verbs that take nothing. Absent and `{}` are the same. */
export const emptyBody = z.strictObject({}).meta({ examples: [{}] })

export const risk = z.enum(risks)
export type RiskName = z.infer<typeof risk>

/** The answer of verbs that take something back. */
export const revoked = z
  .object({ revoked: z.literal(true) })
  .meta({ examples: [{ revoked: true }] })

/** A masked value that a page is about to show, by what it looks like. */
export const maskedValue = z
  .strictObject({
    kind: z.enum(secretKinds),
    characters: z.int().min(1).max(limits.reasonCharacters),
  })
  .meta({ examples: [{ kind: 'Countersign API key', characters: 63 }] })
export const revealed = z
  .object({ revealed: z.literal(true) })
  .meta({ examples: [{ revealed: true }] })

const codes = Object.keys(problemStatus) as [ProblemCode, ...ProblemCode[]]
export const problemCode = z.enum(codes)

/** RFC 9457. `code` is stable; further members carry the facts, such as `decidedBy` or `digest`. */
export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: problemCode,
    detail: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })
export type ProblemBody = z.infer<typeof problem>
