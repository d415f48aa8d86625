import { nameForm } from '#domain/name-form.ts'
import { z } from 'zod'
import { risks, approvalWords } from '#domain/policy/verdict.ts'

/** The keys that a mapping may have: readers and schema use this one list. */
export function keysOf(mapping: z.ZodObject): readonly string[] {
  return Object.keys(mapping.shape)
}

/** An optional key; a key without a value counts as absent. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullable().optional()
}

/** A value, or a list of at least one. */
export function oneOrMany<T extends z.ZodType>(schema: T) {
  return z.union([schema, z.array(schema).min(1)])
}

/** A text that is not blank. Numbers and booleans must be quoted. */
export const text = z.string().regex(/\S/)

/** A name of the user's own choosing. */
export const name = z.string().regex(nameForm)

/** The name of an environment variable. */
export const variable = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/)

export const email = z.string().regex(/^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,189}$/)

export const duration = z
  .string()
  .regex(/^[1-9]\d{0,8}[smhd]$/)
  .describe('90s, 15m, 4h or 7d')

export const risk = z.enum(risks)

/** A word on consent in each of its forms. */
export function consent<const T extends readonly [string, ...string[]]>(words: T) {
  return z.union([
    z.enum(words),
    z.strictObject({ blocked: text.describe('the reason that the model gets') }),
    z.strictObject({ approval: z.enum(words), reason: maybe(text) }),
  ])
}

export const anyConsent = consent(approvalWords).describe(
  'preApproved: nobody is asked. ask: it waits for a person. blocked: nobody can allow it',
)
