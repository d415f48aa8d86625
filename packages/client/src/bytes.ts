/** A `CryptoKey`. The types of some platforms do not declare that name. */
export type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** The bytes of a text in UTF-8. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/** The bytes of base64 or base64url. Throws a `DOMException` for other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** Base64 of bytes, for short arrays such as a MAC. */
export function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

/** Imports bytes as an HMAC-SHA-256 key. */
export function hmacKey(
  bytes: Uint8Array<ArrayBuffer>,
  usage: 'sign' | 'verify',
): Promise<ImportedKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
}
