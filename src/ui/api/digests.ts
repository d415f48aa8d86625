/** Browsers have digests only on pages from https addresses or from this machine. */
export const canHash = (globalThis.crypto as Partial<Crypto>).subtle !== undefined

/** SHA-256 of the concatenated parts. */
export async function sha256(
  ...parts: Uint8Array<ArrayBuffer>[]
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = await new Blob(parts).arrayBuffer()
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
}

/** Bytes as hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
