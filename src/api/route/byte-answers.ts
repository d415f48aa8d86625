import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer } from './route.ts'

/** Bytes that are there already. */
export function bytesAnswer(bytes: Uint8Array, headers: Readonly<Record<string, string>>): Answer {
  return (response) => {
    response.set({ ...headers, 'content-length': String(bytes.length) })
    response.status(200).end(bytes)
  }
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
