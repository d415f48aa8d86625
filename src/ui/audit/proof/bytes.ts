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

/** SHA-256 of the concatenated parts. */
export async function sha256(...parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
}

/** Whether two byte strings are equal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
