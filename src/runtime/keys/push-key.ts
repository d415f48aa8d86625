import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VapidKey } from '#delivery/push/encrypt-push.ts'
import { readText, type Environment } from '../environment.ts'
import { createP256KeyOnce, keyFolder, refuseReadable } from './key-files.ts'

/**
 * The key that identifies the installation to push services: `keys/push.pem`, made at the first
 * start, or `COUNTERSIGN_PUSH_KEY` in PEM form. Devices subscribe for this key alone, so it never
 * rotates automatically. Throws when others can read the file, or it has no P-256 key.
 */
export async function loadPushKey(dataDir: string, environment: Environment): Promise<VapidKey> {
  const configured = readText(environment, 'COUNTERSIGN_PUSH_KEY')
  if (configured !== undefined) return pushKeyOf(configured, 'COUNTERSIGN_PUSH_KEY')
  const file = join(keyFolder(dataDir), 'push.pem')
  await createP256KeyOnce(file)
  refuseReadable(file, (await stat(file)).mode)
  return pushKeyOf(await readFile(file, 'utf8'), file)
}

/** The pair in the form of push services: the uncompressed point and the scalar, base64url. */
function pushKeyOf(pem: string, source: string): VapidKey {
  let key: KeyObject
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch (cause) {
    throw new Error(`${source} is not a private key in PEM form`, { cause })
  }
  const { crv, x = '', y = '', d } = key.export({ format: 'jwk' })
  if (crv !== 'P-256' || d === undefined) throw new Error(`${source} is not a P-256 key`)
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  return { publicKey: Buffer.concat(point).toString('base64url'), privateKey: d }
}
