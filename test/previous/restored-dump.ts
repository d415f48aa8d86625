import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sealKeyOf, type SealKey } from '#domain/statements/row-seals.ts'
import type { Signer, Verifier } from '#domain/statements/statement-bytes.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import type { NoteSigner } from '#evidence/note/signed-note.ts'
import { readBackup, type CheckedBackup } from '#runtime/backup/read-backup.ts'
import type { DumpFacts } from './play-scenes.ts'

const folder = join(import.meta.dirname, 'dumps')

/** The dumps that are kept, by the newest migration each of their versions had. */
export async function dumpNames(): Promise<string[]> {
  const names = await readdir(folder)
  return names.flatMap((name) => (name.endsWith('.backup') ? [name.slice(0, -7)] : [])).toSorted()
}

/** A dump of an earlier version: its backup, its keys, and what it said of itself. */
export interface Dump {
  readonly backup: CheckedBackup
  readonly facts: DumpFacts
  readonly signer: Signer
  readonly verifier: Verifier
  readonly logSigner: NoteSigner
  readonly sealKey: SealKey
}

export async function readDump(name: string): Promise<Dump> {
  const backup = await readBackup(join(folder, `${name}.backup`))
  const facts = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as DumpFacts
  const keys = new Map(backup.keys.map(({ path, bytes }) => [path, Buffer.from(bytes)]))
  const publicKeys = new Map<string, KeyObject>()
  for (const [path, pem] of keys) {
    const [, id] = /^keys\/public\/(.*)\.pem$/.exec(path) ?? []
    if (id !== undefined) publicKeys.set(id, createPublicKey(pem))
  }
  const signing = keyIn(keys.get('keys/signing.pem'))
  const log = keyIn(keys.get('keys/log.pem'))
  const seal = keys.get('keys/shared/seal.key')
  if (signing === null || log === null || seal === undefined) throw new Error(`${name} lacks a key`)
  return {
    backup,
    facts,
    signer: signing,
    verifier: { publicKeys },
    sealKey: sealKeyOf(Buffer.from(seal.toString(), 'base64')),
    logSigner: {
      key: noteKey(`countersign/${log.keyId}`, createPublicKey(log.privateKey)),
      privateKey: log.privateKey,
    },
  }
}

function keyIn(pem: Buffer | undefined): Signer | null {
  if (pem === undefined) return null
  const privateKey = createPrivateKey(pem)
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return { keyId: createHash('sha256').update(der).digest('hex').slice(0, 16), privateKey }
}
