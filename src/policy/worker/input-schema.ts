import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { errorMessage } from '#domain/error-message.ts'
import { inputSentence, type InputProblem } from './schema-sentence.ts'

/** The most characters of a schema as JSON, which bounds the time of compiling it. */
const maxSchemaCharacters = 32 * 1024

type CompiledSchema =
  | { readonly ok: true; readonly validate: ValidateFunction }
  | { readonly ok: false; readonly problem: string }

const compiled = new WeakMap<JsonObject, CompiledSchema>()

/** Why a worker's `input` is not a usable schema, as a sentence; `null` when it is. */
export function schemaProblem(schema: JsonObject): string | null {
  const read = compile(schema)
  return read.ok ? null : read.problem
}

/**
 * The first problem of a run's input by the worker's `input` schema (workers-and-policy.md); `null`
 * when it fits. Patterns are matched in linear time (security.md 27), and the schema was checked
 * when its version was activated.
 */
export function inputProblem(schema: JsonObject, input: Json): InputProblem | null {
  const read = compile(schema)
  if (!read.ok) return { field: 'input', sentence: `input: its worker's schema ${read.problem}` }
  if (read.validate(input)) return null
  const [error] = read.validate.errors ?? []
  return error === undefined
    ? { field: 'input', sentence: 'input is not valid' }
    : inputSentence(error)
}

function compile(schema: JsonObject): CompiledSchema {
  const validator = compiled.get(schema)
  if (validator !== undefined) return validator
  const schemaNow = compileNow(schema)
  compiled.set(schema, schemaNow)
  return schemaNow
}

function compileNow(schema: JsonObject): CompiledSchema {
  if (JSON.stringify(schema).length > maxSchemaCharacters) {
    return { ok: false, problem: `is over ${maxSchemaCharacters / 1024} KiB` }
  }
  // A run's input is a text or an object; a schema is for the latter.
  if (schema['type'] !== 'object') return { ok: false, problem: 'is not of `type: object`' }
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    validateFormats: false,
    verbose: true,
    ownProperties: true,
    logger: false,
    code: { regExp: linearPattern },
  })
  try {
    return { ok: true, validate: ajv.compile(schema) }
  } catch (error) {
    const text = errorMessage(error)
    return { ok: false, problem: `is not a JSON Schema: ${text.slice(0, 300)}` }
  }
}

/**
 * A `pattern` for RE2, which does not backtrack; it throws for one that needs backtracking. The
 * validator identifies patterns by their text.
 */
function linearPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = RE2JS.compile(pattern)
  return { test: (text) => expression.matcher(text).find(), toString: () => pattern }
}
linearPattern.code = 'require("re2js")'
