import { hashBytes } from '#domain/json/digest.ts'
import { limits } from '#domain/limits.ts'
import { Problem } from '#domain/problem.ts'
import { decodeBase64 } from '#domain/text/encoding/base64.ts'
import { isPictureType, pictureTypeOf, type PictureType } from '#domain/tools/picture-type.ts'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { parsePath } from '#sandbox/names/path-names.ts'
import { putContents } from '#store/content/content.ts'
import type { Tx } from '#store/database.ts'
import type { MessageFile } from './load-transcript.ts'

/** A file of a message as it is sent. */
export interface SentFile {
  readonly name: string
  readonly mediaType: string
  /** base64 */
  readonly data: string
}

/** A sent file that is a picture or a text, and can be stored. */
export interface ReadSentFile extends MessageFile {
  readonly content: Buffer
  /** `null`: it is a picture */
  readonly text: string | null
}

/**
 * Reads the files of a message: pictures of the types that models read, recognised by their bytes,
 * and texts in UTF-8. `modelPictures`: the types of picture that the model takes; `null`: only its
 * host knows them. Throws `invalid_request`, which names the file, for everything else, including
 * an SVG.
 */
export function readSentFiles(
  sent: readonly SentFile[],
  modelPictures: readonly PictureType[] | null,
): readonly ReadSentFile[] {
  if (sent.length > limits.filesOfMessage) {
    throw new Problem(
      'invalid_request',
      `At most ${limits.filesOfMessage} files go with a message`,
      {
        field: 'files',
      },
    )
  }
  const files = sent.map((file, at) => {
    const read = readSentFile(file, modelPictures)
    if (typeof read !== 'string') return read
    const field = `files.${at}`
    throw new Problem('invalid_request', `${field}: ${read}`, { field })
  })
  const sum = (some: readonly ReadSentFile[]) => some.reduce((all, { bytes }) => all + bytes, 0)
  const texts = files.filter(({ text }) => text !== null)
  requireSum(sum(files), limits.filesOfMessageBytes, 'The files of a message')
  requireSum(sum(texts), limits.attachedTextBytes, 'The texts of a message')
  return files
}

function requireSum(bytes: number, maxBytes: number, what: string): void {
  if (bytes <= maxBytes) return
  const text = `${what} have at most ${binarySize(maxBytes)} together`
  throw new Problem('invalid_request', text, { field: 'files' })
}

/** The file, or its problem as a sentence. */
function readSentFile(
  { name, mediaType, data }: SentFile,
  modelPictures: readonly PictureType[] | null,
): ReadSentFile | string {
  const pathResult = parsePath(name)
  if (!pathResult.ok || pathResult.path !== name || name.includes('/'))
    return 'Its name is not a file name.'
  const content = decodeBase64(data)
  if (content === null) return 'Its data is not base64.'
  if (content.length === 0) return 'It is empty.'
  const file = { name, mediaType, bytes: content.length, hash: hashBytes(content), content }
  if (mediaType.startsWith('image/')) {
    if (!isPictureType(mediaType)) return 'Pictures are PNG, JPEG, GIF or WebP.'
    if (pictureTypeOf(content) !== mediaType) return `Its bytes are not ${mediaType}.`
    if (content.length > limits.pictureBytes) {
      return `A picture has at most ${binarySize(limits.pictureBytes)}.`
    }
    if (modelPictures !== null && !modelPictures.includes(mediaType)) {
      return modelPictures.length === 0
        ? 'The model of this worker sees no pictures.'
        : `The model of this worker takes no ${mediaType}.`
    }
    return { ...file, text: null }
  }
  const text = textOf(content)
  return text === null
    ? 'It is neither a picture (PNG, JPEG, GIF, WebP) nor a text in UTF-8.'
    : { ...file, text }
}

function textOf(content: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** A file as the text of its message names it, and in the body of an idempotent call. */
export function namedFiles(files: readonly ReadSentFile[]) {
  return files.map(({ name: path, bytes, hash, text, mediaType }) => ({
    path,
    bytes,
    hash,
    text,
    why: text === null ? `a picture (${mediaType}), with this message` : null,
  }))
}

/** A file of a message to write; without its content where that is stored already. */
export type MessageFileToStore = MessageFile & { readonly content?: Buffer }

/** Stores the files of a message, in the transaction that writes the message. */
export async function storeMessageFiles(
  tx: Tx,
  messageId: string,
  files: readonly MessageFileToStore[],
): Promise<void> {
  if (files.length === 0) return
  await putContents(
    tx,
    files.flatMap(({ content }) => content ?? []),
  )
  const rows = files.map(({ name, mediaType, bytes, hash }, index) => ({
    message_id: messageId,
    position: index + 1,
    name,
    media_type: mediaType,
    bytes,
    hash,
  }))
  await tx.insertInto('message_file').values(rows).execute()
}
