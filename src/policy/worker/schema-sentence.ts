import { memberOf } from '#domain/json/value-in.ts'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { countWords } from '#domain/text/quantities/count-words.ts'

/** The problem of an input: the field, as `input.version`, and a sentence that names it. */
export interface InputProblem {
  readonly field: string
  readonly sentence: string
}

type Params = Readonly<Record<string, unknown>>

const maxCharacters = 500

/** An error of the validator, which ran with `verbose`, as a sentence for people. */
export function inputSentence({
  instancePath,
  keyword,
  params,
  parentSchema,
}: ErrorObject): InputProblem {
  const path = ['input', ...instancePath.split('/').slice(1).map(unescapePart)]
  const absent = absentName(keyword, params)
  const field = absent === null ? path.join('.') : [...path, absent].join('.')
  const schema: unknown =
    absent === null ? parentSchema : memberOf(memberOf(parentSchema, 'properties'), absent)
  const title = memberOf(schema, 'title')
  const name = typeof title === 'string' && title !== '' ? `“${title}” (${field})` : field
  return { field, sentence: `${name} ${problemOf(keyword, params)}`.slice(0, maxCharacters) }
}

/** The member that an object must have and has not, or has and must not have. */
function absentName(keyword: string, params: Params): string | null {
  const name =
    keyword === 'required' || keyword === 'dependentRequired'
      ? params['missingProperty']
      : (params['additionalProperty'] ?? params['unevaluatedProperty'])
  return typeof name === 'string' ? name : null
}

function problemOf(keyword: string, params: Params): string {
  const limit = Number(params['limit'])
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is missing'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known'
    case 'type':
      return `must be ${[params['type']].flat().map(typeWords).join(' or ')}`
    case 'enum':
      return `must be one of ${[params['allowedValues']].flat().map(inJson).join(', ')}`
    case 'const':
      return `must be ${inJson(params['allowedValue'])}`
    case 'minLength':
      return `must have at least ${countWords(limit, 'character')}`
    case 'maxLength':
      return `may have at most ${countWords(limit, 'character')}`
    case 'pattern':
      return `must match the pattern ${String(params['pattern'])}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `may be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}`
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`
    case 'minItems':
      return `must have at least ${countWords(limit, 'item')}`
    case 'maxItems':
      return `may have at most ${countWords(limit, 'item')}`
    case 'uniqueItems':
      return 'must not have the same item twice'
    case 'minProperties':
      return `must have at least ${countWords(limit, 'field')}`
    case 'maxProperties':
      return `may have at most ${countWords(limit, 'field')}`
    case 'propertyNames':
      return `must not have a field named ${inJson(params['propertyName'])}`
    default:
      return 'does not have the form that the worker takes'
  }
}

const typeNames: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['integer', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['null', 'null'],
])

function typeWords(type: unknown): string {
  return typeNames.get(type) ?? String(type)
}

function inJson(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

/** One part of a JSON Pointer as it is called. */
function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}
