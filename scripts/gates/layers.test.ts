import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkLayers } from './layers.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'layers-'))
})
afterEach(() => rm(root, { recursive: true }))

async function source(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

test('imports that follow the arrows pass, and every module is counted', async () => {
  await source({
    'src/domain/verdict.ts': 'export const ask = 1',
    'src/policy/judge.ts': `import { ask } from '../domain/verdict.ts'\nexport const judge = ask`,
    'src/api/app.ts': `import { judge } from '../policy/judge.ts'\nexport const app = judge`,
  })
  expect(await checkLayers(root)).toEqual({ modules: 3, violations: [] })
})

test.each([
  ['upwards', 'src/domain/a.ts', '../store/b.ts', 'src/store/b.ts', 'src/domain imports only'],
  ['sideways', 'src/store/a.ts', '../sandbox/b.ts', 'src/sandbox/b.ts', 'src/store imports only'],
  ['to runtime', 'src/api/a.ts', '../runtime/b.ts', 'src/runtime/b.ts', 'src/api imports only'],
  [
    'activities',
    'src/workflows/a.ts',
    '../activities/b.ts',
    'src/activities/b.ts',
    'src/workflows',
  ],
  ['to tests', 'src/store/a.ts', '../../test/b.ts', 'test/b.ts', 'src/store imports only'],
])('an import %s is a violation, also of types only', async (_, from, specifier, to, sentence) => {
  await source({
    [from]: `import type { B } from '${specifier}'\nexport type A = B`,
    [to]: 'export type B = 1',
  })
  const { violations } = await checkLayers(root)
  expect(violations.join('\n')).toContain(sentence)
})

test('the dashboard may take types of the API and not its values', async () => {
  await source({
    'src/api/views.ts': 'export type View = 1\nexport const view = 1',
    'src/ui/page.ts': `import type { View } from '../api/views.ts'\nexport type Page = View`,
  })
  expect((await checkLayers(root)).violations).toEqual([])
  await source({ 'src/ui/other.ts': `export { view } from '../api/views.ts'` })
  expect((await checkLayers(root)).violations).toHaveLength(1)
})

test('a cycle is a violation, and is printed', async () => {
  await source({
    'src/domain/a.ts': `import { b } from './b.ts'\nexport const a = () => b`,
    'src/domain/b.ts': `import { a } from './a.ts'\nexport const b = () => a`,
  })
  expect((await checkLayers(root)).violations.join()).toContain(
    'src/domain/b.ts -> src/domain/a.ts',
  )
})

test('an import that leads nowhere cannot hide a forbidden one', async () => {
  await source({ 'src/domain/a.ts': `import '../store/gone.ts'` })
  expect((await checkLayers(root)).violations.join()).toContain('leads nowhere')
})

test('imports of a module with `using` declarations are judged like others', async () => {
  await source({
    'src/domain/a.ts': `import { b } from '../store/b.ts'\nexport function a() { using c = b() }`,
    'src/store/b.ts': `export const b = () => ({ [Symbol.dispose]() {} })`,
  })
  expect((await checkLayers(root)).violations).toHaveLength(1)
})
