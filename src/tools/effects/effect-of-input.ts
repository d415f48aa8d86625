import { memberOf } from '#domain/json/value-in.ts'
import { oneLine } from '#domain/text/one-line.ts'
import type { JsonObject } from '#domain/json/json.ts'
import {
  currencyOf,
  isCurrency,
  isInMinorUnits,
  isTitleOfMinorUnits,
  fieldName,
  valueText,
  withoutMinorUnits,
} from '#domain/fields/value-text.ts'

/** Fields that a sentence names; the others are counted. */
const maxFields = 4

/**
 * The effect of a call, as a sentence, if only the schema of its tool is known: the name of the
 * tool as words, and its fields by the titles in the schema.
 */
export function effectOfInput(tool: string, input: JsonObject, schema: JsonObject | null): string {
  const fields = fieldsOfInput(input, schema)
  return fields === '' ? nameOf(tool) : `${nameOf(tool)}: ${fields}`
}

/** The fields of an input by their titles, with their values; '' where there are none. */
export function fieldsOfInput(input: JsonObject, schema: JsonObject | null): string {
  const currency = currencyOf(input)
  const fields = Object.entries(input).filter(
    ([name, value]) => value !== null && !(currency !== null && isCurrency(name)),
  )
  const named = fields.slice(0, maxFields).map(([name, value]) => {
    const title = titleOf(name, schema)
    const label = isInMinorUnits(name, value, currency) ? withoutMinorUnits(title) : title
    // A title that says cents, of a name that does not, is not beside an amount in the main unit.
    const titles = [label, ...(Array.isArray(value) ? entryTitle(name, schema) : [])]
    const ownName = titles.some((one) => isTitleOfMinorUnits(one)) ? '' : name
    return `${label} ${oneLine(valueText(ownName, value, currency), 80)}`
  })
  const more = fields.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** `mcp__stripe__create_refund` as “Create refund (stripe)”. */
function nameOf(tool: string): string {
  const [, server, own] = /^mcp__([^_]{1,60}(?:_[^_]{1,60}){0,5})__(.{1,200})$/.exec(tool) ?? []
  if (server === undefined || own === undefined) return fieldName(tool) || tool
  return `${fieldName(own)} (${server})`
}

/** The title of the entries of a list in the schema, if it has one. */
function entryTitle(name: string, schema: JsonObject | null): readonly string[] {
  const items = memberOf(memberOf(memberOf(schema, 'properties'), name), 'items')
  const title = memberOf(items, 'title')
  return typeof title === 'string' ? [title] : []
}

/** The title of a field in the schema, else its name in words. */
function titleOf(name: string, schema: JsonObject | null): string {
  const properties = memberOf(schema, 'properties')
  const title = memberOf(memberOf(properties, name), 'title')
  return typeof title === 'string' && title.trim() !== ''
    ? oneLine(title, 60)
    : fieldName(name) || name
}
