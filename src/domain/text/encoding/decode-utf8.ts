/** The text of UTF-8 with its byte order mark; `null`: the bytes are not valid UTF-8. Pure. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
