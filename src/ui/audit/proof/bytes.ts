/**
 * The bytes of a base64 text; `null` unless it is exactly their encoding: `atob` alone ignores
 * blanks and the last bits.
 */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64)
    if (btoa(binary) !== base64) return null
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Whether two byte strings are equal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
