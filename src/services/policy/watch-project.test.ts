import { rmSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { watchProject } from './watch-project.ts'
import { putFile } from '#test/harness/put-file.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'

let folder: string
beforeEach(() => {
  folder = newFolder('watched-')
  put('countersign.yaml', 'version: 1\n')
  put('workers/scribe.md', '---\nmodel: script:./scripts/demo.yaml\n---\nWrite.\n')
  put('scripts/demo.yaml', 'turns: []\n')
})

const put = (at: string, text: string): void => putFile(folder, at, text)

function watching(onChange: () => Promise<void>) {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const watch = watchProject({ projectDir: folder, onChange, onError, onWatchError: onError })
  const { ready, lookAgain } = watch
  return { errors, ready, lookAgain, [Symbol.asyncDispose]: () => watch[Symbol.asyncDispose]() }
}

test('every kind of file of a version is noticed: new, changed and removed', async () => {
  let changes = 0
  await using watch = watching(async () => {
    changes += 1
  })
  await watch.ready
  const steps: (() => void)[] = [
    () => put('countersign.yaml', 'version: 1\n# a\n'),
    () => put('workers/second.md', '---\nmodel: script:./scripts/other.yaml\n---\n'),
    () => put('scripts/demo.yaml', 'turns: [] # changed\n'),
    () => put('tools/slack.ts', 'export default 1\n'),
    () => rmSync(path.join(folder, 'workers/second.md')),
  ]
  for (const step of steps) {
    const before = changes
    step()
    await waitUntil(() => changes > before)
  }
  expect(watch.errors).toEqual([])
})

test('changes during a call lead to another call afterwards, never at the same time', async () => {
  let running = 0
  let maxRunning = 0
  let calls = 0
  const held = Promise.withResolvers<void>()
  await using watch = watching(async () => {
    calls += 1
    running += 1
    maxRunning = Math.max(maxRunning, running)
    if (calls === 1) await held.promise
    running -= 1
  })
  await watch.ready
  put('countersign.yaml', 'version: 1\n# one\n')
  await waitUntil(() => calls >= 1)
  put('countersign.yaml', 'version: 1\n# two\n')
  held.resolve()
  await waitUntil(() => calls >= 2)
  expect(maxRunning).toBe(1)
})

test('a call that rejects is reported, and watching continues', async () => {
  let calls = 0
  await using watch = watching(async () => {
    calls += 1
    if (calls === 1) throw new Error('not valid')
  })
  await watch.ready
  put('countersign.yaml', 'version: 2\n')
  await waitUntil(() => watch.errors.length === 1)
  put('countersign.yaml', 'version: 1\n')
  await waitUntil(() => calls >= 2)
})

test('looking again calls it without a change', async () => {
  let calls = 0
  await using watch = watching(async () => {
    calls += 1
  })
  await watch.ready
  watch.lookAgain()
  await waitUntil(() => calls === 1)
})

test('a folder that cannot be watched is reported as such, and not as a call that rejects', () => {
  const module = new URL('watch-project.ts', import.meta.url).href
  const imports = `import { watchProject } from '${module}'`
  const options = `{ projectDir: ${JSON.stringify(folder)}, onChange: async () => {}, onError: () => {}, onWatchError: reject }`
  const work = `await new Promise((_, reject) => watchProject(${options}))`
  expect(withoutDescriptors(imports, work)).toMatch(/^Error: EMFILE: too many open files/)
})
