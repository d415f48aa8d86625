import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** A file of the built page. */
export interface Page {
  readonly type: string
  readonly bytes: Uint8Array
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** All files of a built page by their paths. The server serves no other file. */
export async function readPages(folder: URL): Promise<ReadonlyMap<string, Page>> {
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => Object.hasOwn(types, extname(name)))
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, Page]> => {
        const bytes = await readFile(new URL(name, folder))
        const path = name === 'index.html' ? '/' : `/${name.replaceAll('\\', '/')}`
        return [path, { type: types[extname(name)] ?? '', bytes }]
      }),
    ),
  )
}
