import { isAlias, isMap, isPair, isScalar, isSeq, type Document, type LineCounter } from 'yaml'
import type { Json } from '../../domain/json.ts'
import { didYouMean } from './did-you-mean.ts'
import { sourceOf, type Place, type Report } from './report.ts'
import type { Aliases } from './resolve-names.ts'

/** A list or mapping is never longer; what compares its members with each other stays quick. */
const mostMembers = 5000

export interface Source {
  readonly file: string
  readonly report: Report
  readonly document: Document
  readonly lines: LineCounter
  readonly aliases: Aliases
}

/** One value in a YAML file: its node, the key path that leads there, and its line. */
export interface Spot {
  readonly source: Source
  readonly node: unknown
  readonly at: string
  readonly line: number
}

export function placeOf(spot: Spot): Place {
  return { file: spot.source.file, line: spot.line }
}

/** `file:line`, as rules name where they are written. */
export function spotSource(spot: Spot): string {
  return sourceOf(placeOf(spot))
}

/** Reports that the value at a spot is wrong, naming its key path. */
export function wrong(spot: Spot, problem: string, remedy: string): void {
  const subject = spot.at === '' ? 'the file' : `"${spot.at}"`
  spot.source.report.error(placeOf(spot), `${subject} ${problem}`, remedy)
}

/** As `wrong`, but the version stays valid. */
export function odd(spot: Spot, problem: string, remedy: string): void {
  spot.source.report.warn(placeOf(spot), `"${spot.at}" ${problem}`, remedy)
}

/** The plain value of a scalar; `undefined` for anything else. */
export function scalarOf(spot: Spot): string | number | boolean | null | undefined {
  const { node } = spot
  if (node === null) return null
  if (!isScalar(node)) return undefined
  const { value } = node
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return value as string | number | boolean | null
  }
  return undefined
}

/** A value in a message: a scalar as JSON has it, clipped; what it is, of all else. */
export function shownAt(spot: Spot): string {
  if (isMapAt(spot)) return 'a mapping'
  if (isListAt(spot)) return 'a list'
  const value = scalarOf(spot)
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value ?? null)
  return text.length <= 200 ? text : `${text.slice(0, 200)}… (${text.length} characters)`
}

/** Is it a sequence? For keys that take a value or a list. */
export function isListAt(spot: Spot): boolean {
  return isSeq(spot.node)
}

/** Is it a mapping? For keys that take a word or details. */
export function isMapAt(spot: Spot): boolean {
  return isMap(spot.node)
}

/** The entries of a mapping whose keys are the user's own names; reports anything else. */
export function readEntries(spot: Spot): readonly (readonly [name: string, value: Spot])[] {
  if (!isMap(spot.node)) {
    wrong(spot, 'is not a mapping', 'write it as `key: value` lines')
    return []
  }
  if (isTooLong(spot, spot.node.items.length)) return []
  const entries: (readonly [string, Spot])[] = []
  for (const pair of spot.node.items) {
    if (!isPair(pair)) continue
    const key = nameOf(pair.key)
    const at = spot.at === '' ? key : `${spot.at}.${key}`
    const line = lineOf(spot.source, pair.key) ?? spot.line
    const value = { source: spot.source, node: target(spot.source, pair.value), at, line }
    if (key === '') wrong({ ...value, at: spot.at }, 'has a key that is no name', 'write a name')
    else entries.push([key, value])
  }
  return entries
}

/** The items of a sequence; reports anything else. */
export function readItems(spot: Spot): readonly Spot[] {
  if (!isSeq(spot.node)) {
    wrong(spot, 'is not a list', 'write it as `[a, b]` or as lines that begin with `- `')
    return []
  }
  if (isTooLong(spot, spot.node.items.length)) return []
  return spot.node.items.map((item, index) => ({
    source: spot.source,
    node: target(spot.source, item),
    at: `${spot.at}[${index}]`,
    line: lineOf(spot.source, item) ?? spot.line,
  }))
}

/** `''` for a key that is no name: a list, a mapping, nothing at all. */
function nameOf(key: unknown): string {
  if (!isScalar(key)) return ''
  const name = String(key.value)
  return key.value === null ? '' : name
}

function isTooLong(spot: Spot, length: number): boolean {
  if (length <= mostMembers) return false
  wrong(spot, `has ${length} entries`, `write at most ${mostMembers}`)
  return true
}

/** A mapping with fixed keys. */
export interface Fields {
  readonly spot: Spot
  /** the value of a key; `null` when it is absent or empty */
  get(key: string): Spot | null
}

/** Reads a mapping with fixed keys, reporting every unknown one. `null` when it is no mapping. */
export function readFields(spot: Spot, keys: readonly string[]): Fields | null {
  if (!isMap(spot.node)) {
    wrong(spot, 'is not a mapping', `write it as \`key: value\` lines; keys: ${keys.join(', ')}`)
    return null
  }
  const found = new Map(readEntries(spot))
  for (const [key, value] of found) {
    if (keys.includes(key)) continue
    const place = placeOf(value)
    const remedy = key === '<<' ? 'write out what you would merge' : didYouMean(key, keys)
    spot.source.report.error(place, `unknown key "${value.at}"`, remedy)
  }
  return {
    spot,
    get(key) {
      const value = found.get(key)
      return value === undefined || scalarOf(value) === null ? null : value
    },
  }
}

/** The value as JSON; reports what JSON cannot carry. */
export function readJson(spot: Spot): Json {
  const { node, source } = spot
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
  wrong(spot, 'is not a JSON value', 'use texts, numbers, booleans, lists and mappings')
  return null
}

function refuseNonJson(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a number')
  return value
}

/** An alias stands for what its anchor marks. */
function target(source: Source, node: unknown): unknown {
  return isAlias(node) ? (source.aliases.get(node) ?? null) : node
}

function lineOf(source: Source, node: unknown): number | null {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range === undefined || range === null ? null : source.lines.linePos(range[0]).line
}
