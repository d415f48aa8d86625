import { createHash } from 'node:crypto'

/**
 * Canonical JSON (RFC 8785). Numbers and texts are written as JavaScript writes them, which is what
 * the standard says; members go in the order of their names' UTF-16 units. Rejects what JSON cannot
 * carry with a `TypeError`.
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
  if (typeof value === 'number' && !Number.isFinite(value)) throw noForm('a number')
  const json = JSON.stringify(value)
  if (json === undefined) throw noForm(`a ${typeof value}`)
  return json
}

function text(value: string): string {
  if (!value.isWellFormed()) throw noForm('a text')
  return JSON.stringify(value)
}

function noForm(what: string): TypeError {
  return new TypeError(`${what} has no canonical JSON form`)
}

/** What people approve: the hash of canonical `{tool, input, toolHash}` (docs/api.md). */
export function callDigest(call: {
  readonly tool: string
  readonly input: unknown
  readonly toolHash: string
}): string {
  const { input, tool, toolHash } = call
  const bytes = canonicalJson({ tool, input, toolHash })
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
