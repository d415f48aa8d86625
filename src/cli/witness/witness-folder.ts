import { createPrivateKey, createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { noteKey } from '../../evidence/note/note-key.ts'
import type { NoteSigner } from '../../evidence/note/signed-note.ts'

/** What a witness keeps in its folder: its key (owner-only), and every note that it cosigned, by size. */
export interface WitnessFolder {
  readonly signer: NoteSigner
  /** the cosigned note of the largest size; `null` at first */
  readonly last: string | null
}

const keptName = /^checkpoint-(\d+)\.txt$/

/** Opens the folder; at first makes it with a key. Of two that make one at once, the second fails. */
export async function openWitnessFolder(folder: string): Promise<WitnessFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = await readdir(folder)
  const file = join(folder, 'witness.pem')
  if (!names.includes('witness.pem')) {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    await writeFile(file, pem, { mode: 0o600, flag: 'wx' })
  }
  const privateKey = createPrivateKey(await readFile(file, 'utf8'))
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const name = `countersign-witness/${hash('sha256', der).slice(0, 16)}`
  const sizes = names.flatMap((name) => Number(keptName.exec(name)?.[1] ?? []))
  const last =
    sizes.length === 0 ? null : await readFile(noteFile(folder, Math.max(...sizes)), 'utf8')
  return { signer: { key: noteKey(name, publicKey, 'cosignature'), privateKey }, last }
}

/** Keeps a cosigned note, on the disk before this resolves: a witness that forgot could cosign two histories. */
export async function keepNote(folder: string, size: number, note: string): Promise<string> {
  return writeWhole(noteFile(folder, size), note)
}

/** Keeps what contradicts a note of before: together they show that the log has two histories. */
export async function keepContradiction(
  folder: string,
  size: number,
  note: string,
): Promise<string> {
  return writeWhole(join(folder, `contradiction-${size}.txt`), note)
}

function noteFile(folder: string, size: number): string {
  return join(folder, `checkpoint-${size}.txt`)
}

async function writeWhole(file: string, text: string): Promise<string> {
  const half = `${file}.${process.pid}.new`
  {
    await using handle = await open(half, 'w', 0o644)
    await handle.writeFile(text)
    await handle.sync()
  }
  await rename(half, file)
  await using folder = await open(dirname(file))
  await folder.sync()
  return file
}
