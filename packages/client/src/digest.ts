import { utf8 } from './bytes.ts'

/**
 * Canonical JSON (RFC 8785): numbers and strings as JavaScript writes them, members sorted by the
 * UTF-16 units of their names. Throws a `TypeError` for a value that JSON cannot represent.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `{${members.map(([name, member]) => `${text(name)}:${canonicalJson(member)}`).join(',')}}`
  }
  if (typeof value === 'string') return text(value)
  if (isUnsendable(value)) throw noForm('a number')
  const json = JSON.stringify(value)
  if (json === undefined) throw noForm(`a ${typeof value}`)
  return json
}

/** Whether it is a number that JSON cannot represent: `NaN` or an infinity. */
export function isUnsendable(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value)
}

function text(value: string): string {
  if (!value.isWellFormed()) throw noForm('a text')
  return JSON.stringify(value)
}

function noForm(what: string): TypeError {
  return new TypeError(`${what} has no canonical JSON form`)
}

/**
 * The digest that people approve: SHA-256 of the canonical JSON of `{tool, input, toolHash}`
 * (docs/api.md), as `sha256:<hex>`.
 */
export async function callDigest(call: {
  readonly tool: string
  readonly input: unknown
  readonly toolHash: string
}): Promise<string> {
  const { input, tool, toolHash } = call
  const hash = await crypto.subtle.digest('SHA-256', utf8(canonicalJson({ tool, input, toolHash })))
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `sha256:${hex}`
}
