import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const docsFolder = join(import.meta.dirname, '..', '..', 'docs')

/** A page of `docs/`. `name` is its path without `.md`, or `index` for the list of pages. */
export interface Page {
  readonly name: string
  readonly title: string
  /** its first paragraph, in one line */
  readonly summary: string
  readonly text: string
}

/** Only these pages are published; the design pages are for people who change the service. */
const published = '{*,decisions/*}.md'

/** Every page that is published, the list of pages first. */
export async function readPages(): Promise<Page[]> {
  const pages = await Promise.all((await namesOf(published)).map(readPage))
  return pages.toSorted(
    (left, right) => Number(right.name === 'index') - Number(left.name === 'index'),
  )
}

/** The pictures that pages show. */
export async function readPictures(): Promise<Map<string, Uint8Array>> {
  const names = await namesOf('*.png')
  const read = names.map(async (name) => [name, await readFile(join(docsFolder, name))] as const)
  return new Map(await Promise.all(read))
}

async function namesOf(pattern: string): Promise<string[]> {
  const names: string[] = []
  for await (const name of glob(pattern, { cwd: docsFolder })) names.push(name)
  return names.toSorted()
}

async function readPage(path: string): Promise<Page> {
  const text = await readFile(join(docsFolder, path), 'utf8')
  const [, title = path] = /^# (.+)$/m.exec(text) ?? []
  const first = text.split(/\n{2,}/).find((block) => block !== '' && !/^[#|`<>-]/.test(block))
  const summary = (first ?? '').replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return { name: nameOf(path), title: title.replaceAll('`', ''), summary: summary.trim(), text }
}

/** `README.md` lists the pages of its folder. */
export function nameOf(path: string): string {
  return path
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '$1index')
    .replace(/\/index$/, '')
}
