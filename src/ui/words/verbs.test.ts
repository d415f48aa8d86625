import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verbs } from './verbs.ts'

const ui = join(import.meta.dirname, '..')
const sources = '**/*.{ts,tsx}'

test('the verb of an act is written in one file, which buttons, menus and keys share', async () => {
  const words = Object.values(verbs)
  expect(new Set(words).size).toBe(words.length)
  const all = words.join('|')
  // A whole text of an element, a whole string, or the whole value of a property.
  const copy = new RegExp(`>\\s*(?:${all})\\s*<|'(?:${all})'|="(?:${all})"`, 'g')
  const found: string[] = []
  for await (const file of glob(sources, { cwd: ui })) {
    if (file.startsWith('words/') || /\.test\.tsx?$/.test(file)) continue
    const source = await readFile(join(ui, file), 'utf8')
    for (const [text] of source.matchAll(copy)) found.push(`${file}: ${text.trim()}`)
  }
  expect(found).toEqual([])
})
