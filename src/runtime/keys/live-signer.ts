import { readFileSync, statSync } from 'node:fs'
import type { Signer } from '../../domain/statements/statement-bytes.ts'
import { refuseReadable, signerOf } from './key-files.ts'
import { lookedAt } from './looked-at.ts'

/**
 * The signer of a key file, looked at again when the file is replaced: what is signed after a rotation is signed with the
 * new key. `keyId` is read first, and the two belong together. Throws when the file is missing, readable by others or no key.
 */
export function signerOfFile(file: string): Signer {
  const look = lookedAt(file, () => {
    refuseReadable(file, statSync(file).mode)
    return signerOf(readFileSync(file, 'utf8'), file)
  })
  let current = look()
  return {
    get keyId() {
      current = look()
      return current.keyId
    },
    get privateKey() {
      return current.privateKey
    },
  }
}
