import { isAlias, isMap, isPair, isScalar, isSeq, type Document, type LineCounter } from 'yaml'
import type { Json } from '#domain/json/json.ts'
import { didYouMean } from './did-you-mean.ts'
import { sourceOf, type SourceLine, type Report } from './report.ts'
import type { Aliases } from './resolve-names.ts'

/** The longest list or mapping, so that comparing its members with each other stays fast. */
const maxMembers = 5000

export interface Source {
  readonly file: string
  readonly report: Report
  readonly document: Document
  readonly lines: LineCounter
  readonly aliases: Aliases
}

/** One value in a YAML file: its node, the key path that leads there, and its line. */
export interface YamlField {
  readonly source: Source
  readonly node: unknown
  readonly at: string
  readonly line: number
}

/** Where a field is written; `line` counts from 1. */
function placeOf(field: YamlField): SourceLine {
  return { file: field.source.file, line: field.line }
}

/** `file:line`, as rules name where they are written. */
export function fieldSource(field: YamlField): string {
  return sourceOf(placeOf(field))
}

/** Reports that the value at a field is wrong, naming its key path. */
export function wrong(field: YamlField, problem: string, remedy: string): void {
  const subject = field.at === '' ? 'the file' : `"${field.at}"`
  field.source.report.error(placeOf(field), `${subject} ${problem}`, remedy)
}

/** As `wrong`, but the version stays valid. */
export function warn(field: YamlField, problem: string, remedy: string): void {
  field.source.report.warn(placeOf(field), `"${field.at}" ${problem}`, remedy)
}

/** The plain value of a scalar; `undefined` for anything else. */
export function scalarOf(field: YamlField): string | number | boolean | null | undefined {
  const { node } = field
  if (node === null) return null
  if (!isScalar(node)) return undefined
  const { value } = node
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return value as string | number | boolean | null
  }
  return undefined
}

/** A value for a message: a scalar as JSON, cut; of any other value its kind. */
export function valueTextAt(field: YamlField): string {
  if (isMapAt(field)) return 'a mapping'
  if (isListAt(field)) return 'a list'
  const value = scalarOf(field)
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value ?? null)
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`
}

/** Whether the value is a sequence: for keys that take a value or a list. */
export function isListAt(field: YamlField): boolean {
  return isSeq(field.node)
}

/** Whether the value is a mapping: for keys that take a word or details. */
export function isMapAt(field: YamlField): boolean {
  return isMap(field.node)
}

/** The entries of a mapping whose keys are the user's own names; reports anything else. */
export function readEntries(
  field: YamlField,
): readonly (readonly [name: string, value: YamlField])[] {
  if (!isMap(field.node)) {
    wrong(field, 'is not a mapping', 'write it as `key: value` lines')
    return []
  }
  if (isTooLong(field, field.node.items.length)) return []
  const entries: (readonly [string, YamlField])[] = []
  for (const pair of field.node.items) {
    if (!isPair(pair)) continue
    const key = nameOf(pair.key)
    const at = field.at === '' ? key : `${field.at}.${key}`
    const line = lineOf(field.source, pair.key) ?? field.line
    const value = { source: field.source, node: target(field.source, pair.value), at, line }
    if (key === '') wrong({ ...value, at: field.at }, 'has a key that is no name', 'write a name')
    else entries.push([key, value])
  }
  return entries
}

/** The items of a sequence; reports anything else. */
export function readItems(field: YamlField): readonly YamlField[] {
  if (!isSeq(field.node)) {
    wrong(field, 'is not a list', 'write it as `[a, b]` or as lines that begin with `- `')
    return []
  }
  if (isTooLong(field, field.node.items.length)) return []
  return field.node.items.map((item, index) => ({
    source: field.source,
    node: target(field.source, item),
    at: `${field.at}[${index}]`,
    line: lineOf(field.source, item) ?? field.line,
  }))
}

/** `''` for a key that is no name: a list, a mapping, nothing at all. */
function nameOf(key: unknown): string {
  if (!isScalar(key)) return ''
  const name = String(key.value)
  return key.value === null ? '' : name
}

function isTooLong(field: YamlField, length: number): boolean {
  if (length <= maxMembers) return false
  wrong(field, `has ${length} entries`, `write at most ${maxMembers}`)
  return true
}

/** A mapping with fixed keys. */
export interface Fields {
  readonly field: YamlField
  /** the value of a key; `null` when it is absent or empty */
  get(key: string): YamlField | null
  /** the value of a key that must be there; `null` after reporting that it is not */
  getNeeded(key: string, remedy: string): YamlField | null
  /** what `read` makes of the value of a key; `otherwise` when it is absent or empty */
  read<T>(key: string, read: (at: YamlField) => T, otherwise: T): T
  /** the same of a key that must be there; `null` after reporting that it is not */
  readNeeded<T>(key: string, remedy: string, read: (at: YamlField) => T): T | null
}

/** Reads a mapping with fixed keys, reporting every unknown one. `null` when it is no mapping. */
export function readFields(field: YamlField, keys: readonly string[]): Fields | null {
  if (!isMap(field.node)) {
    wrong(field, 'is not a mapping', `write it as \`key: value\` lines; keys: ${keys.join(', ')}`)
    return null
  }
  const members = new Map(readEntries(field))
  for (const [key, value] of members) {
    if (keys.includes(key)) continue
    const place = placeOf(value)
    const remedy = key === '<<' ? 'write out what you would merge' : didYouMean(key, keys)
    field.source.report.error(place, `unknown key "${value.at}"`, remedy)
  }
  const fields: Fields = {
    field,
    get(key) {
      const value = members.get(key)
      if (value === undefined || scalarOf(value) !== null) return value ?? null
      warn(value, 'has no value, so its default applies', 'write a value, or remove the key')
      return null
    },
    getNeeded(key, remedy) {
      const value = fields.get(key)
      if (value === null) wrong(field, `has no "${key}"`, remedy)
      return value
    },
    read(key, read, otherwise) {
      const value = fields.get(key)
      return value === null ? otherwise : read(value)
    },
    readNeeded(key, remedy, read) {
      const value = fields.getNeeded(key, remedy)
      return value === null ? null : read(value)
    },
  }
  return fields
}

/** The value as JSON; reports what JSON cannot carry. */
export function readJson(field: YamlField): Json {
  const { node, source } = field
  if (node === null) return null
  try {
    const value: unknown = (node as { toJS(doc: Document, options: object): unknown }).toJS(
      source.document,
      { maxAliasCount: 100 },
    )
    if (JSON.stringify(value, refuseNonJson) !== undefined) return value as Json
  } catch {
    // Reported below.
  }
  wrong(field, 'is not a JSON value', 'use texts, numbers, booleans, lists and mappings')
  return null
}

function refuseNonJson(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a number')
  return value
}

/** The node that an alias refers to; any other node as it is. */
function target(source: Source, node: unknown): unknown {
  return isAlias(node) ? (source.aliases.get(node) ?? null) : node
}

function lineOf(source: Source, node: unknown): number | null {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range === undefined || range === null ? null : source.lines.linePos(range[0]).line
}
