import { expect, test } from 'vitest'
import { analyseCommand } from '#policy/shell/analyse-command.ts'
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

/** Which places are looked at for the files that a script names; they are added to `places`. */
async function placesFor(
  root: string,
  script: string,
  places: string[] = [],
): Promise<readonly string[]> {
  const words = await namedWords(root, analyseCommand({ kind: 'shell', script, cwd: '' }))
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

test.each([
  ['one word of many folders', `python3 -m pytest ${'a/'.repeat(30_000)}`],
  ['a word in several folders', `python3 -m pytest ${'a/'.repeat(2000)}; cd d; cd ../e`],
  ['one for many programs', `env pytest cargo go dotnet gradle ${'a/'.repeat(2000)}`],
  ['one behind a folder above', `python3 -m pytest x/../${'b/'.repeat(1500)}`],
])('too many places are refused before one is looked at: %s', async (_, script) => {
  const root = newFolder('countersign-named-')
  putFiles(root, { 'd/a.txt': '', 'e/a.txt': '' })
  const places: string[] = []
  await expect(placesFor(root, script, places)).rejects.toThrow(
    /^The command may name too many files for its approver/,
  )
  expect(places).toEqual([])
})

test('a long text with slashes is no such word', async () => {
  const root = newFolder('countersign-named-')
  const places = await placesFor(root, `docker run image sh -c "${'ls a/b; '.repeat(200)}"`)
  expect(places).toContain('Dockerfile')
})

test('the role of a file is found in one reading of its command', async () => {
  const root = newFolder('countersign-named-')
  const many = Array.from({ length: 3000 })
  const argv = [...many.flatMap(() => ['sh', '-x']), 'a', 'b', ...many.map(() => 'f')]
  const words = await namedWords(root, analyseCommand({ kind: 'exec', argv, cwd: '' }))
  const file = { bytes: 0, hash: '', head: new Uint8Array() }
  const inspect = async (at: string) => (at === 'f' ? file : null)
  const { files } = await namedFiles(root, zones, words, [], inspect)
  // `a` may be the value of an option, and `b` the script: neither `f` is.
  expect(files).toEqual([{ path: 'f', bytes: 0, hash: '', role: 'uses' }])
})
