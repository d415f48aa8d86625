import { isJsonObject } from '../json/is-object.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import { textIn, valueIn } from '../json/value-in.ts'
import { countWords } from '../text/quantities/count-words.ts'
import {
  amountNameOf,
  currencyOf,
  isInMinorUnits,
  isTitleOfMinorUnits,
  moneyOrDateText,
  withoutMinorUnits,
} from './value-text.ts'
import { namesSecret } from './field-secrets.ts'
import { entryPart, fieldTitlesName, pointerPart } from './field-titles.ts'
import { exactName, isPlain, isSpelledBy, readableTitle, nameAsWords } from './field-names.ts'
import type { Presentation } from '../tools/presentation.ts'

/** One field of a structured presentation, or one entry of a list. */
export interface StructuredField {
  /** 0: a field of the call itself */
  readonly depth: number
  readonly label: string
  /** the name in the call, quoted unless it is plain; `null`: the label says it */
  readonly name: string | null
  /** the lines of the presentation that it takes, from 1; those of its own fields follow */
  readonly line: number
  readonly value: FieldValue
}

export type FieldValue =
  /** `text` for people; `exact` is the value as JSON, `null` where `text` is the value itself */
  | { readonly kind: 'short'; readonly text: string; readonly exact: string | null }
  /** a text of several lines */
  | { readonly kind: 'lines'; readonly text: string }
  /** the fields that follow, one level deeper, are its own */
  | { readonly kind: 'group'; readonly text: string }
  /** the line of the presentation as it stands, because a part of it may be a secret */
  | { readonly kind: 'json'; readonly text: string }

/** More fields and lines are slow to draw: the JSON is shown in steps. */
const maxRows = 2_000
const maxDepth = 20

/**
 * The fields of a structured presentation, in its order: each value once, so that together they are
 * the presentation. `null`: it is no JSON, has no fields, is too long, or cannot be written back
 * byte for byte; its lines are shown then. Pure.
 */
export function structuredFields(
  presentation: Pick<Presentation, 'type' | 'content' | 'metadata'>,
): readonly StructuredField[] | null {
  if (presentation.type !== 'structured') return null
  const text = presentation.content.replace(/\n$/, '')
  const lines = text.split('\n')
  if (lines.length > maxRows) return null
  const value = parseJson(text)
  if (value === undefined || typeof value !== 'object' || value === null) return null
  // A member twice, or a number with more digits than a number keeps, would be lost.
  if (JSON.stringify(value, null, 2) !== text) return null
  const titles = valueIn(presentation.metadata, fieldTitlesName)
  const reader = new FieldReader(lines, isJsonObject(titles) ? titles : {})
  reader.addMembers(value, { depth: 0, pointer: '', currency: null, name: '', inMinorUnits: false })
  const { fields } = reader
  return fields === null || fields.length === 0 ? null : fields
}

/** The rows that fields take where each line of a text is one. */
export function countRows(fields: readonly StructuredField[]): number {
  return fields.reduce((rows, { value }) => rows + rowsOf(value), 0)
}

function rowsOf(value: FieldValue): number {
  return value.kind === 'lines' ? value.text.split('\n').length : 1
}

interface Place {
  readonly depth: number
  readonly pointer: string
  /** that an object around it names */
  readonly currency: string | null
  /** of the list that has it as an entry */
  readonly name: string
  /** whether a name or title around it is of the smallest unit of a currency */
  readonly inMinorUnits: boolean
}

/** Walks a value in the order of its indented JSON, and counts the lines. */
class FieldReader {
  readonly #lines: readonly string[]
  readonly #titles: JsonObject
  readonly #fields: StructuredField[] = []
  #line = 1
  #rows = 0

  constructor(lines: readonly string[], titles: JsonObject) {
    this.#lines = lines
    this.#titles = titles
  }

  /** `null`: there are too many, or they are nested too deep. */
  get fields(): readonly StructuredField[] | null {
    return this.#rows > maxRows ? null : this.#fields
  }

  addMembers(value: Json[] | JsonObject, place: Place): void {
    // The line of the opening bracket is that of the value itself.
    this.#line += 1
    if (Array.isArray(value)) {
      const pointer = `${place.pointer}/${entryPart}`
      const title = textIn(this.#titles, pointer) ?? ''
      for (const [index, entry] of value.entries()) {
        const label = `${index + 1} of ${value.length}`
        const inner = innerPlace({ ...place, pointer }, place.name, title, entry)
        this.#add(entry, { label, name: null }, inner)
      }
    } else {
      const own = currencyOf(value)
      const currency = own ?? place.currency
      const ownAmount = own !== null && Object.keys(value).length === 2
      const titles = this.#titlesOf(value, place.pointer, currency)
      for (const [index, [name, member]] of Object.entries(value).entries()) {
        const pointer = `${place.pointer}/${pointerPart(name)}`
        const title = titles[index] ?? { label: exactName(name), name: null }
        const ownName = ownAmount ? amountNameOf(name) : name
        const inner = innerPlace({ ...place, pointer, currency }, ownName, title.label, member)
        this.#add(member, title, inner)
      }
    }
    this.#line += 1
  }

  #add(value: Json, title: Pick<StructuredField, 'label' | 'name'>, place: Place): void {
    if (place.depth >= maxDepth) this.#rows = maxRows + 1
    if (this.#rows > maxRows) return
    const { depth } = place
    const line = this.#line
    const fieldValue = this.#valueOf(value, place)
    this.#rows += rowsOf(fieldValue)
    this.#fields.push({ depth, ...title, line, value: fieldValue })
    if (typeof value === 'object' && value !== null && sizeOf(value) > 0) {
      this.addMembers(value, { ...place, depth: depth + 1 })
    } else this.#line += 1
  }

  #valueOf(value: Json, { name, currency }: Place): FieldValue {
    if (typeof value === 'object' && value !== null) {
      const members = sizeOf(value)
      if (Array.isArray(value)) {
        return { kind: 'group', text: members === 0 ? 'empty list' : countWords(members, 'item') }
      }
      return { kind: 'group', text: members === 0 ? 'no fields' : '' }
    }
    const json = this.#lines[this.#line - 1] ?? ''
    if (namesSecret(json, value)) return { kind: 'json', text: json.trim().replace(/,$/, '') }
    if (value === null) return { kind: 'short', text: 'none', exact: 'null' }
    if (typeof value === 'boolean') {
      return { kind: 'short', text: value ? 'yes' : 'no', exact: String(value) }
    }
    const exact = JSON.stringify(value)
    const formatted = moneyOrDateText(name, value, currency)
    if (formatted !== null) return { kind: 'short', text: formatted, exact }
    if (typeof value === 'number') return { kind: 'short', text: exact, exact: null }
    if (!value.isWellFormed() || isMistakable(value)) {
      return { kind: 'short', text: exact, exact: null }
    }
    if (value.includes('\n')) return { kind: 'lines', text: value }
    return { kind: 'short', text: value, exact: null }
  }

  /** A label for each member, and its name where the label does not say it exactly. */
  #titlesOf(
    value: JsonObject,
    pointer: string,
    currency: string | null,
  ): readonly Pick<StructuredField, 'label' | 'name'>[] {
    const labels = Object.entries(value).map(([name, member]) => {
      const title = readableTitle(textIn(this.#titles, `${pointer}/${pointerPart(name)}`))
      const label = title ?? nameAsWords(name)
      // The value beside it is in the main unit.
      const inMain = isPlain(name) && isInMinorUnits(name, member, currency)
      return {
        label: inMain ? withoutMinorUnits(label) : label,
        name,
        exact: !inMain && title === null && isSpelledBy(label, name),
      }
    })
    const counts = Map.groupBy(labels, ({ label }) => label)
    return labels.map(({ label, name, exact }) => ({
      label,
      name: exact && counts.get(label)?.length === 1 ? null : exactName(name),
    }))
  }
}

/** Forms of other values: a blank end, a quoted text, a number, a size. */
const mistakable =
  /^(?:|\s[^]*|[^]*\s|"[^]*|yes|no|none|true|false|null|[-+]?[\d.,]+(?:e[-+]?\d+)?|empty list|no fields|[\d,]+ items?)$/i

/**
 * Whether a text could be taken for another value, such as the number 5, none or an empty list, or
 * for a text that is quoted.
 */
function isMistakable(value: string): boolean {
  if (value.includes('\n')) return false
  // The last: as if its exact value stood behind it, as in `yes (true)`.
  return mistakable.test(value) || (value.endsWith(')') && value.includes('('))
}

/**
 * The place of a value with its own name; '' where its value must not be read as an amount of the
 * main unit.
 */
function innerPlace(place: Place, name: string, title: string, value: Json): Place {
  const { currency } = place
  const ofMinorUnits = place.inMinorUnits && !isInMinorUnits(name, value, currency)
  // A name that is no word says nothing of its value, nor one whose title says otherwise.
  const saysNoUnit = !isPlain(name) || isTitleOfMinorUnits(title) || ofMinorUnits
  const inMinorUnits = place.inMinorUnits || [name, title].some((one) => isTitleOfMinorUnits(one))
  return { ...place, name: saysNoUnit ? '' : name, inMinorUnits }
}

function sizeOf(value: Json[] | JsonObject): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}
