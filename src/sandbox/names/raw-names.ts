import { decodeUtf8 } from '#domain/text/encoding/decode-utf8.ts'

/**
 * The name of a file as text that can be converted back: invalid bytes are kept as lone surrogates
 * (U+DC80 to U+DCFF), which no valid name contains. Pure.
 */
export function textOfName(bytes: Uint8Array): string {
  return (
    decodeUtf8(bytes) ??
    [...bytes].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('')
  )
}

/** The bytes of a name, or of a path of such names. Pure. */
export function bytesOfName(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text)
  return Buffer.concat(
    [...text].map((character) => {
      const code = character.codePointAt(0) ?? 0
      return code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(character)
    }),
  )
}

/** A path for a sentence: quoted, at most 200 characters, invalid bytes as `\xFF`. Pure. */
export function quotedName(at: string): string {
  const preview = at.length > 200 ? `${at.slice(0, 200)}…` : at
  const escaped = [...preview].map((character) => {
    const code = character.codePointAt(0) ?? 0
    const isByte = code >= 0xdc80 && code <= 0xdcff
    return isByte ? `\\x${(code - 0xdc00).toString(16)}` : JSON.stringify(character).slice(1, -1)
  })
  return `"${escaped.join('').toWellFormed()}"`
}
