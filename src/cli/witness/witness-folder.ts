import { createPublicKey, hash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseCheckpoint, type Checkpoint } from '#evidence/note/checkpoint.ts'
import { noteKey } from '#evidence/note/note-key.ts'
import { parseNote, type NoteSigner } from '#evidence/note/signed-note.ts'
import { createKeyOnce, refuseReadable, signerOf, writeKeyFile } from '#runtime/keys/key-files.ts'
import { holdFolder, type HeldFolder } from './hold-folder.ts'

/**
 * The folder of a witness: its key, which only the owner can read, and the notes that it cosigned.
 */
export interface WitnessFolder extends AsyncDisposable {
  readonly path: string
  readonly signer: NoteSigner
  /** the checkpoint of the largest size that was cosigned; `null` at first */
  readonly last: Checkpoint | null
  readonly lock: HeldFolder
}

const noteName = /^checkpoint-(\d+)\.txt$/
const contradictionName = /^contradiction-\d+\.txt$/
/** One contradiction is a proof already; the limit protects the disk. */
const maxContradictions = 100

/**
 * Opens the folder for this process alone; creates it with a key if it is missing. Rejects with a
 * sentence if another process has it.
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
    lock,
    [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
  }
}

/**
 * Stores a cosigned note. It is on the disk once this resolves: a witness that forgets a note could
 * cosign two histories.
 */
export async function keepNote(folder: string, size: number, note: string): Promise<string> {
  const file = noteFile(folder, size)
  await writeKeyFile(file, note, 0o644)
  return file
}

/** Removes a note if a newer one is of the same day, because there is one every few seconds. */
export async function forgetSameDay(folder: string, before: number, now: number): Promise<void> {
  const [older, newer] = await Promise.all([
    stat(noteFile(folder, before)),
    stat(noteFile(folder, now)),
  ])
  const day = (at: Date): string => at.toISOString().slice(0, 10)
  if (day(older.mtime) === day(newer.mtime)) await rm(noteFile(folder, before))
}

/**
 * Stores a note that contradicts an earlier one: together they prove that the log has two
 * histories. `isNew`: it was not stored before; `null`: the folder has a hundred others.
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
    const [, digits] = noteName.exec(name) ?? []
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
