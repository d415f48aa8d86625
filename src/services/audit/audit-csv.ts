import type { Json, JsonObject } from '../../domain/json.ts'

const columns = [
  'at',
  'type',
  'actor.type',
  'actor.id',
  'actor.name',
  'channel',
  'runId',
  'requestId',
  'callId',
  'digest',
  'policyDigest',
  'detail',
  'id',
]

/** First line of a CSV export. */
export const csvHeader = `${columns.join(',')}\r\n`

/** One event as a CSV line (RFC 4180). A cell that a spreadsheet would compute (`= + - @`, tab, return) is escaped. */
export function csvRow(event: JsonObject): string {
  return `${columns.map((column) => cell(valueAt(event, column))).join(',')}\r\n`
}

function valueAt(event: JsonObject, column: string): Json | undefined {
  let value: Json | undefined = event
  for (const name of column.split('.')) {
    value =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined
  }
  return value
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
