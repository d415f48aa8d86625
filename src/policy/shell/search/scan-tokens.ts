/**
 * The words of a text that is not understood: quotes and escapes are removed, and whatever
 * separates commands, expansions and arguments separates words. Two lists, since some characters
 * may be inside of a word or between two. For asks and blocks only.
 */
export function scanTokens(text: string): readonly (readonly string[])[] {
  const decoded = text.replace(/\$'((?:[^'\\]|\\[^])*)'/g, (_, body: string) => decodeAnsiC(body))
  const plain = decoded.replace(/\\(?=[nt])/g, ' ').replace(/["'\\]/g, '')
  const emptied = plain.replace(/\$\(\)|``|\$\{?[A-Za-z_@*#?!$0-9-][A-Za-z0-9_]*\}?/g, '')
  const readings = [
    plain.split(/[\s;&|()<>`]+/),
    plain.split(/[\s;&|()<>`${}:=,+?![\]~*^%@]+/),
    emptied.split(/[\s;&|()<>`{}]+/),
    decoded.replace(/[\\]/g, '').split(/[^A-Za-z0-9_./-]+/),
  ]
  const keys = new Set<string>()
  return readings
    .map((tokens) => tokens.filter((token) => token !== ''))
    .filter((tokens) => {
      const key = tokens.join('\0')
      return keys.size !== keys.add(key).size
    })
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Reads the inside of `$'…'`. */
function decodeAnsiC(body: string): string {
  const escape = /\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c[^]|[^])/g
  return body.replace(escape, (_, code: string) => {
    const [kind] = code
    if (kind !== undefined && /[xuU]/.test(kind) && code.length > 1) {
      return character(parseInt(code.slice(1), 16))
    }
    if (/^[0-7]+$/.test(code)) return character(parseInt(code, 8) & 0xff)
    return escapes[code] ?? code
  })
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
