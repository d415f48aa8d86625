import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pictureTypes, type PictureType } from '#domain/tools/picture-type.ts'
import type { Answer } from './route.ts'

/** An answer with bytes that are in memory. */
export function bytesAnswer(bytes: Uint8Array, headers: Readonly<Record<string, string>>): Answer {
  return (response) => {
    response.set({ ...headers, 'content-length': String(bytes.length) })
    response.status(200).end(bytes)
  }
}

export const fileBytesText =
  'The bytes: with the type of a picture if they are a valid picture of that type, otherwise as application/octet-stream'
export const fileBytesTypes = [...pictureTypes, 'application/octet-stream']

/** Bytes of a tool or a person: the dashboard may draw a picture, and nothing else. */
export function fileBytes(
  hash: string,
  { bytes, picture }: { readonly bytes: Uint8Array; readonly picture: PictureType | null },
): Answer {
  const suffix = picture === null ? 'bin' : picture.slice('image/'.length)
  return bytesAnswer(bytes, {
    'content-type': picture ?? 'application/octet-stream',
    // When it is opened by itself, it is saved, and its scripts do not run.
    'content-disposition': `attachment; filename="${hash.slice(7, 19)}.${suffix}"`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
}

/** A file to save, which is sent while it is being read. */
export function fileAnswer(
  name: string,
  chunks: AsyncIterable<unknown>,
  headers: Readonly<Record<string, string>>,
): Answer {
  return async (response) => {
    response.status(200)
    response.set({ ...headers, 'content-disposition': `attachment; filename="${name}"` })
    await pipeline(Readable.from(chunks), response)
  }
}
