import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '#domain/json/json.ts'
import { errorMessage } from '#domain/error-message.ts'

/** The most characters of a schema as JSON, which bounds the time of compiling it. */
const maxSchemaCharacters = 32 * 1024

/** The problem of an input: the field, as `input.version`, and a sentence. */
export interface InputProblem {
  readonly field: string
  readonly problem: string
}

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
  if (!read.ok) return { field: 'input', problem: `its worker's schema ${read.problem}` }
  if (read.validate(input)) return null
  const [error] = read.validate.errors ?? []
  return error === undefined ? { field: 'input', problem: 'is not valid' } : inWords(error)
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

function inWords({ instancePath, keyword, params, message }: ErrorObject): InputProblem {
  const path = ['input', ...instancePath.split('/').slice(1).map(unescapePart)]
  const { missingProperty, additionalProperty, allowedValues } = params
  if (keyword === 'required' && typeof missingProperty === 'string') {
    return { field: [...path, missingProperty].join('.'), problem: 'is missing' }
  }
  if (keyword === 'additionalProperties' && typeof additionalProperty === 'string') {
    return { field: [...path, additionalProperty].join('.'), problem: 'is not known' }
  }
  if (keyword === 'enum' && Array.isArray(allowedValues)) {
    const choices = allowedValues.map((value) => JSON.stringify(value)).join(', ')
    return { field: path.join('.'), problem: `must be one of ${choices}`.slice(0, 500) }
  }
  return { field: path.join('.'), problem: (message ?? 'is not valid').slice(0, 500) }
}

/** One part of a JSON Pointer as it is called. */
function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
