import { hexOf, sha256 } from '../../api/digests.ts'
import { bytesOfBase64 } from './bytes.ts'

/** A checkpoint whose signature this page verified: the number of events and the root. */
export interface CheckedNote {
  readonly signer: string
  readonly size: number
  readonly root: Uint8Array<ArrayBuffer>
}

/**
 * Verifies the signature of a checkpoint (C2SP tlog-checkpoint, signed-note) with a verifier key
 * `name+hash+base64` and the browser's Ed25519. `null` if it is not valid or the browser cannot
 * verify it. Never rejects, even for hostile input.
 */
export async function checkNote(note: string, vkey: string): Promise<CheckedNote | null> {
  const [, name = '', hash = '', base64 = ''] =
    /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(vkey) ?? []
  const keyBytes = bytesOfBase64(base64)
  const gap = note.lastIndexOf('\n\n')
  // Type 1 is a plain Ed25519 signature of the text.
  if (keyBytes?.length !== 33 || keyBytes[0] !== 1 || gap < 1) return null
  if ((await keyHash(name, keyBytes)) !== hash) return null
  const text = note.slice(0, gap + 1)
  const signature = signatureOf(note.slice(gap + 2), name, hash)
  if (signature === null || !(await isSigned(text, keyBytes.slice(1), signature))) return null
  const [origin, size = '', root = ''] = text.split('\n')
  const rootHash = bytesOfBase64(root)
  if (origin !== name || !/^(0|[1-9]\d*)$/u.test(size) || rootHash?.length !== 32) return null
  return { signer: name, size: Number(size), root: rootHash }
}

/** The first four bytes of `SHA-256(name || "\n" || type and key)`, as hex. */
async function keyHash(name: string, keyBytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(`${name}\n`), keyBytes)
  return hexOf(digest.slice(0, 4))
}

/** This key's signature in "— name base64". Its first four bytes are the key's id. */
function signatureOf(lines: string, name: string, hash: string): Uint8Array<ArrayBuffer> | null {
  for (const line of lines.split('\n')) {
    const [, signer, base64 = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = bytesOfBase64(base64)
    if (signer !== name || bytes?.length !== 68 || hexOf(bytes.slice(0, 4)) !== hash) continue
    return bytes.slice(4)
  }
  return null
}

async function isSigned(
  text: string,
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    return await crypto.subtle.verify('Ed25519', key, signature, new TextEncoder().encode(text))
  } catch {
    return false
  }
}
