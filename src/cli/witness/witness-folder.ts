import { createPublicKey, hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCheckpoint, type Checkpoint } from '#evidence/note/checkpoint.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import { parseNote, type NoteSigner } from '#evidence/note/signed-note.ts'
import { createKeyOnce, refuseReadable, signerOf, writeKeyFile } from '#runtime/keys/key-files.ts'
import { holdFolder, type HeldFolder } from './hold-folder.ts'

/**
 * What a witness keeps in its folder: its key (owner-only), and notes that it cosigned, by size.
 */
export interface WitnessFolder extends AsyncDisposable {
  readonly path: string
  readonly signer: NoteSigner
  /** the checkpoint of the largest size that was cosigned; `null` at first */
  readonly last: Checkpoint | null
  readonly lock: HeldFolder
}

const keptName = /^checkpoint-(\d+)\.txt$/
const contradictionName = /^contradiction-\d+\.txt$/
/** More of them say no more than these do. */
const maxContradictions = 100

/**
 * Opens the folder for this process alone; at first makes it, with a key. Rejects with a sentence
 * when another holds it.
 */
export async function openWitnessFolder(path: string): Promise<WitnessFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = await holdFolder(path)
  const file = join(path, 'witness.pem')
  await createKeyOnce(file)
  refuseReadable(file, (await stat(file)).mode)
  const { privateKey } = signerOf(await readFile(file, 'utf8'), file)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const name = `countersign-witness/${hash('sha256', der).slice(0, 16)}`
  return {
    path,
    signer: { key: noteKey(name, publicKey, 'cosignature'), privateKey },
    last: await readLast(path),
    lock: lock,
    [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
  }
}

/**
 * Keeps a cosigned note, on the disk before this resolves: a witness that forgot could cosign two
 * histories.
 */
export async function keepNote(folder: string, size: number, note: string): Promise<string> {
  const file = noteFile(folder, size)
  await writeKeyFile(file, note, 0o644)
  return file
}

/** Of notes that a service cosigns every few seconds, the last one of each day stays. */
export async function forgetSameDay(folder: string, before: number, now: number): Promise<void> {
  const [older, newer] = await Promise.all([
    stat(noteFile(folder, before)),
    stat(noteFile(folder, now)),
  ])
  const day = (at: Date): string => at.toISOString().slice(0, 10)
  if (day(older.mtime) === day(newer.mtime)) await rm(noteFile(folder, before))
}

/**
 * Keeps what contradicts a note of before: together they show that the log has two histories.
 * `isNew`: it was not kept yet; `null`: there are a hundred others already.
 */
export async function keepContradiction(
  folder: string,
  size: number,
  note: string,
): Promise<{ readonly file: string; readonly isNew: boolean } | null> {
  const names = (await readdir(folder)).filter((name) => contradictionName.test(name))
  const name = `contradiction-${size}.txt`
  const isNew = !names.includes(name)
  if (isNew && names.length >= maxContradictions) return null
  const file = join(folder, name)
  if (isNew) await writeKeyFile(file, note, 0o644)
  return { file, isNew }
}

async function readLast(folder: string): Promise<Checkpoint | null> {
  const sizes = (await readdir(folder)).flatMap((name) => {
    const [, digits] = keptName.exec(name) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
  if (sizes.length === 0) return null
  return parseCheckpoint(
    parseNote(await readFile(noteFile(folder, Math.max(...sizes)), 'utf8')).text,
  )
}

function noteFile(folder: string, size: number): string {
  return join(folder, `checkpoint-${size}.txt`)
}
