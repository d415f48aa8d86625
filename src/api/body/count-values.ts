const quote = 0x22
const backslash = 0x5c

/**
 * The number of keys and values of JSON, including brackets, and its depth, without parsing: linear
 * in its bytes. Stops counting beyond `maxValues`. Other text gives an arbitrary result.
 */
export function countValues(
  bytes: Uint8Array,
  maxValues: number,
): { readonly values: number; readonly depth: number } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let values = 0
  let depth = 0
  let deepest = 0
  let inWord = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const byte = text[at] ?? 0
    const isWord = isOfWord(byte)
    if (isWord && !inWord) values += 1
    inWord = isWord
    if (byte === quote) {
      values += 1
      at = endOfText(text, at)
    } else if (byte === 0x7b || byte === 0x5b) {
      values += 1
      depth += 1
      deepest = Math.max(deepest, depth)
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
    }
  }
  return { values, depth: deepest }
}

/** Whether a byte belongs to a number, `true`, `false` or `null`. */
function isOfWord(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  )
}

/** The index of the closing quote; the end of the bytes if there is none. */
function endOfText(text: Buffer, start: number): number {
  let at = start + 1
  for (;;) {
    const end = text.indexOf(quote, at)
    if (end === -1) return text.length
    let slashes = 0
    while (text[end - 1 - slashes] === backslash && end - 1 - slashes > start) slashes += 1
    if (slashes % 2 === 0) return end
    at = end + 1
  }
}
