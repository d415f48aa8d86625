import { expect, test } from 'vitest'
import type { Zone } from '#policy/worker-definition.ts'
import { newFolder } from '#test/harness/new-folder.ts'
import { putFiles } from '#test/harness/put-file.ts'
import { namedFiles } from './named-files.ts'
import { namedWords } from './named-words.ts'

const zones: Zone[] = [
  {
    name: 'repository',
    root: '',
    mode: 'rw',
    suffixes: null,
    approval: {},
    protected: [],
    source: 'workers/scribe.md:5',
  },
]
const numbers = Array.from({ length: 12 }, (_, index) => index)

/** Which places are looked at for the files that a script names. */
async function placesFor(root: string, script: string): Promise<readonly string[]> {
  const places: string[] = []
  const words = await namedWords(root, { kind: 'shell', script, cwd: '' })
  await namedFiles(root, zones, words, [], async (at) => {
    places.push(at)
    return null
  })
  return places
}

// Rules: security.md 28
test('each place is looked at once, in folders that exist', async () => {
  const root = newFolder('countersign-named-')
  putFiles(root, Object.fromEntries(numbers.map((n) => [`packages/p${n}/package.json`, '{}\n'])))
  const tests = numbers.map((n) => `(cd packages/p${n} && npm test)`).join('; ')
  const places = await placesFor(root, tests)
  expect(new Set(places).size).toBe(places.length)
  for (const n of numbers) expect(places).toContain(`packages/p${n}/package.json`)
  // From 13 folders: 20 words and their parts, and package.json.
  expect(places.length).toBeLessThan(1000)
  const builds = `${'cd a/b/c/d/n; '.repeat(30)}${'make; '.repeat(1000)}`
  expect((await placesFor(root, builds)).length).toBeLessThan(30)
})
