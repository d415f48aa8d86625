import { z } from 'zod'
import { problemStatus, type ProblemCode } from '#domain/problem.ts'
import { limits } from '#domain/limits.ts'
import { secretKinds } from '#domain/text/secrets.ts'
import type { Json } from '#domain/json/json.ts'
import { isInstant } from '#domain/instant.ts'
import { risks } from '#domain/policy/verdict.ts'
import { isLongerThan } from '#domain/text/quantities/is-longer-than.ts'
import * as example from './examples.ts'

/** An id, which the service makes as UUIDv7. */
export const id = z.uuid('is not an id').describe('A UUIDv7 that the service made')

/**
 * Of a body with `digest`: the document states that it is required. The schema accepts a body
 * without it, so that the verb can answer `digest_required` and not `invalid_request`.
 */
export const digestRequired = {
  override: ({ jsonSchema }: { jsonSchema: DigestBody }) => {
    const { digest } = jsonSchema.properties ?? {}
    if (digest === undefined) return
    const { anyOf = [], ...described } = digest
    jsonSchema.properties = { ...jsonSchema.properties, digest: { ...described, ...anyOf[0] } }
    jsonSchema.required = ['digest', ...(jsonSchema.required ?? [])]
  },
}
interface DigestBody {
  properties?: Record<string, object & { readonly anyOf?: readonly object[] }>
  required?: string[]
}

/** The id or the short number of a request or run. Every path accepts both. */
const reference = z
  .string()
  .regex(
    /^(?:[1-9][0-9]{0,14}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$/,
    'is neither an id nor a number',
  )
export const requestRef = reference.describe('Id or number of a request')
export const runRef = reference.describe('Id or number of a run')

/** `sha256:<hex>`. */
export const hash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256:<64 hex digits>')
  .describe('A SHA-256 hash: `sha256:` and 64 hex digits')

/** An instant in ISO 8601 with a time zone. Answers are always in UTC. */
export const instant = z.iso
  .datetime({
    offset: true,
    error: 'must be an instant with its time zone, such as 2026-01-31T12:00:00Z',
  })
  .refine(isInstant, 'is a date or time that does not exist')
  .describe('An instant in ISO 8601 with its time zone; answers are in UTC')

/** The name of a worker, queue, team or tool in a project. */
export const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:-]+$/, 'may contain only letters, digits, and . _ : -')
  .describe('A name of at most 200 letters, digits, and `.`, `_`, `:` or `-`')

/**
 * Text of at most `maxCharacters` characters. NUL and lone surrogates are refused, because neither
 * Postgres nor canonical JSON can represent them.
 */
export function text(maxCharacters: number) {
  return z
    .string()
    .refine((value) => !isLongerThan(value, maxCharacters), `is over ${maxCharacters} characters`)
    .meta({ maxLength: maxCharacters })
    .refine((value) => value.isWellFormed(), 'has half a surrogate pair')
    .refine((value) => !value.includes('\0'), 'has a NUL character')
}

/** Words to search for. A text without words is refused. */
export function searchText(maxCharacters: number) {
  return text(maxCharacters).refine((q) => q.trim() !== '', 'is empty')
}

/** An emoji with the invisible characters that its sequence may have. */
const emoji =
  /[0-9#*]\uFE0F\u20E3|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*/gu
/** Without unassigned characters: they may be visible in a newer version of Unicode. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/u

/** A name that people give and others read: without characters that nobody sees. */
export function label(maxCharacters: number) {
  return text(maxCharacters)
    .trim()
    .min(1)
    .refine(
      (value) => !hidden.test(value.replaceAll(emoji, '')),
      'has a control or invisible character',
    )
}

/** A reason or a comment. */
export const reason = text(limits.reasonCharacters).describe(
  `The reason in words, at most ${limits.reasonCharacters} characters`,
)

/** An e-mail address, converted to lower case. */
export const email = text(320)
  .pipe(z.email())
  .transform((value) => value.toLowerCase())
  .describe('An e-mail address, converted to lower case')

/** Any JSON value. Bodies are parsed before a schema gets them, so only `undefined` is refused. */
export const json = z
  .custom<Json>((value) => value !== undefined, 'is missing')
  .meta({ id: 'Json', description: 'Any JSON value' })

export const displayName = z.string().describe('The name that is shown for the person')

/** Fields that many answers have, with what they mean. */
export const workerName = z.string().describe('Name of the worker, which `GET /v1/workers` lists')
export const toolName = z.string().describe('Name of the tool that is called')
export const queueName = z.string().describe('Name of the queue, from countersign.yaml')
export const teamName = z.string().describe('Name of a team, from countersign.yaml')
export const address = z.string().describe('E-mail address, in lower case')
export const shortNumber = z
  .int()
  .describe('A short number for people; paths accept it in place of the id')
export const bytes = z.int().describe('Size in bytes')

export const person = z
  .object({ id, name: displayName })
  .meta({ id: 'Person', description: 'A person: id and display name', examples: [example.grace] })

/** A whole number in a query, in decimal digits only: `0x10`, `1e1`, ` 5` and `` are refused. */
export function wholeNumber(range: {
  readonly min: number
  readonly max: number
  readonly message: string
}) {
  const { min, max, message } = range
  return z
    .string(message)
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, message)
    .meta({
      override: ({ jsonSchema }: { jsonSchema: object & { pattern?: string } }) => {
        delete jsonSchema.pattern
        Object.assign(jsonSchema, { type: 'integer', minimum: min, maximum: max })
      },
    })
    .transform(Number)
    .pipe(z.int(message).min(min, message).max(max, message))
}

const limitRange = `must be a whole number from 1 to ${limits.maxListItems}`

/** The query parameters of every list. */
export const page = {
  cursor: text(1000).optional().describe('`nextCursor` of the page before; absent: the first page'),
  limit: wholeNumber({ min: 1, max: limits.maxListItems, message: limitRange })
    .default(limits.listDefault)
    .describe('The largest number of items in the answer'),
}

/** The query of a list without filters. */
export const pageQuery = z.strictObject(page)

/** The schema of a page, `{items, nextCursor}`. `nextCursor` is null on the last page. */
export function listOf<T extends z.ZodType>(item: T) {
  const list = z.object({
    items: z.array(item).describe('The items of this page'),
    nextCursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null: this is the last'),
  })
  const examples = item.meta()?.examples
  return Array.isArray(examples)
    ? list.meta({ examples: [{ items: examples, nextCursor: null }] })
    : list
}

/** The schema of a list without pages. */
export function wholeListOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item).describe('All items; this list has no pages') })
}

/** The body of operations without input. An absent body and `{}` are the same. */
export const emptyBody = z.strictObject({}).meta({ examples: [{}] })

export const risk = z
  .enum(risks)
  .describe('How much care the call needs, by its tool, the routing and its cues')
export type RiskName = z.infer<typeof risk>

/** The answer of an operation that returns no more than its success. */
export function acknowledgementOf<Name extends string>(name: Name) {
  const always = z.literal(true).describe('Always `true`; a refusal is a problem instead')
  const members = { [name]: always } as Record<Name, typeof always>
  return z.object(members).meta({ examples: [{ [name]: true }] })
}
export const revoked = acknowledgementOf('revoked')
export const removed = acknowledgementOf('removed')
export const withdrawn = acknowledgementOf('withdrawn')
export const revealed = acknowledgementOf('revealed')

/** A masked value that a client is about to show: its kind and length, and not the value. */
export const maskedValue = z
  .strictObject({
    kind: z.enum(secretKinds).describe('What the value looks like'),
    characters: z.int().min(1).max(limits.reasonCharacters).describe('Length of the value'),
  })
  .meta({ examples: [{ kind: 'Countersign API key', characters: 63 }] })

const codes = Object.keys(problemStatus) as [ProblemCode, ...ProblemCode[]]
export const problemCode = z.enum(codes).describe('A stable code, for programs')

/** Problem details (RFC 9457). `code` is stable; more members have facts such as `decidedBy`. */
export const problem = z
  .looseObject({
    type: z.string().describe('A URI of the kind of problem, which ends in its `code`'),
    title: z.string().describe('The kind of problem in a few words'),
    status: z.int().describe('The HTTP status of the answer'),
    code: problemCode,
    detail: z.string().describe('What is wrong with this call, as a sentence for people'),
    requestId: z.string().describe('Id of this HTTP request, which the log of the service has too'),
    field: z.string().optional().describe('With `invalid_request`: the first field that is wrong'),
    errors: z
      .array(
        z.object({
          field: z.string().describe('Its name, with the names above it and dots between them'),
          message: z.string().describe('What is wrong with it'),
        }),
      )
      .optional()
      .describe('With `invalid_request`: every field that is wrong; an empty name: the whole body'),
    nothingChanged: z
      .literal(true)
      .optional()
      .describe('With 503 and 507: the call changed nothing; absent: it may have'),
  })
  .meta({ id: 'Problem' })
export type ProblemBody = z.infer<typeof problem>
