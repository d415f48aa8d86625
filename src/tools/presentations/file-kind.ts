import { valueIn } from '#domain/json/value-in.ts'

/** Language for highlighting and media type, by suffix. */
const kinds: Record<string, readonly [language: string | null, mediaType: string]> = {
  c: ['c', 'text/x-c'],
  cpp: ['cpp', 'text/x-c++'],
  css: ['css', 'text/css'],
  csv: ['csv', 'text/csv'],
  go: ['go', 'text/x-go'],
  html: ['html', 'text/html'],
  java: ['java', 'text/x-java'],
  js: ['javascript', 'text/javascript'],
  json: ['json', 'application/json'],
  jsx: ['jsx', 'text/javascript'],
  md: ['markdown', 'text/markdown'],
  mjs: ['javascript', 'text/javascript'],
  php: ['php', 'text/x-php'],
  py: ['python', 'text/x-python'],
  rb: ['ruby', 'text/x-ruby'],
  rs: ['rust', 'text/x-rust'],
  sh: ['bash', 'text/x-shellscript'],
  sql: ['sql', 'application/sql'],
  svg: ['xml', 'image/svg+xml'],
  tf: ['hcl', 'text/plain'],
  toml: ['toml', 'application/toml'],
  ts: ['typescript', 'text/x-typescript'],
  tsx: ['tsx', 'text/x-typescript'],
  txt: [null, 'text/plain'],
  xml: ['xml', 'application/xml'],
  yaml: ['yaml', 'application/yaml'],
  yml: ['yaml', 'application/yaml'],
}

/** First bytes of common binary forms. */
const signatures: readonly (readonly [hex: string, mediaType: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['1f8b', 'application/gzip'],
  ['7f454c46', 'application/x-elf'],
  ['53514c69746520666f726d6174203300', 'application/vnd.sqlite3'],
]

/** Language of a path for highlighting; `null` when its suffix tells none. */
export function languageOf(path: string): string | null {
  return kindOf(path)?.[0] ?? null
}

/** Media type: of text by suffix, of anything else by its first bytes. */
export function mediaTypeOf(path: string, bytes: Uint8Array): string {
  if (decodeText(bytes.subarray(0, 4096), true) !== null) return kindOf(path)?.[1] ?? 'text/plain'
  const start = Buffer.from(bytes.subarray(0, 16)).toString('hex')
  return signatures.find(([hex]) => start.startsWith(hex))?.[1] ?? 'application/octet-stream'
}

/**
 * The text of UTF-8 bytes with its byte order mark, or `null` when they are not text: invalid UTF-8
 * or a NUL byte. `partial`: the bytes may end within a character.
 */
export function decodeText(bytes: Uint8Array, partial = false): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: partial,
    })
  } catch {
    return null
  }
}

function kindOf(path: string): readonly [string | null, string] | undefined {
  const suffix = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return valueIn(kinds, suffix)
}
