import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkLayers, projectRoot } from './layers.ts'
import { roomOrders } from './room-orders.ts'
import { putFiles } from '#test/harness/put-file.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'layers-'))
})
afterEach(() => rm(root, { recursive: true }))

async function source(files: Record<string, string>): Promise<void> {
  const { imports } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  const manifest = { 'package.json': JSON.stringify({ type: 'module', imports }) }
  putFiles(root, { ...manifest, ...files })
}

test('imports in the permitted direction pass, and every module is counted', async () => {
  await source({
    'src/domain/verdict.ts': 'export const ask = 1',
    'src/policy/judge.ts': `import { ask } from '#domain/verdict.ts'\nexport const judge = ask`,
    'src/api/app.ts': `import { judge } from '#policy/judge.ts'\nexport const app = judge`,
  })
  expect(await checkLayers(root)).toEqual({ modules: 3, violations: [] })
})

test.each([
  ['upwards', 'src/domain/a.ts', '#store/b.ts', 'src/store/b.ts', 'src/domain imports only'],
  ['sideways', 'src/store/a.ts', '#sandbox/b.ts', 'src/sandbox/b.ts', 'src/store imports only'],
  ['to runtime', 'src/api/a.ts', '#runtime/b.ts', 'src/runtime/b.ts', 'src/api imports only'],
  ['activities', 'src/workflows/a.ts', '#activities/b.ts', 'src/activities/b.ts', 'src/workflows'],
  ['to tests', 'src/store/a.ts', '#test/b.ts', 'test/b.ts', 'src/store imports only'],
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
    'src/ui/page.ts': `import type { View } from '#api/views.ts'\nexport type Page = View`,
  })
  expect((await checkLayers(root)).violations).toEqual([])
  await source({ 'src/ui/other.ts': `export { view } from '#api/views.ts'` })
  expect((await checkLayers(root)).violations).toHaveLength(1)
})

test('a verb may take the type of its answer from the schemas of the API, and nothing else of it', async () => {
  await source({
    'src/api/schemas/runs.ts': 'export type Run = 1\nexport const run = 1',
    'src/api/views.ts': 'export type View = 1',
    'src/services/core/verb.ts': `import type { Run } from '#api/schemas/runs.ts'\nexport type R = Run`,
  })
  expect((await checkLayers(root)).violations).toEqual([])
  await source({
    'src/services/core/value.ts': `export { run } from '#api/schemas/runs.ts'`,
    'src/services/core/view.ts': `import type { View } from '#api/views.ts'\nexport type V = View`,
  })
  expect((await checkLayers(root)).violations).toHaveLength(2)
})

test('the client for other programs may take types of the operations and nothing else of ours', async () => {
  await source({
    'src/api/operations.ts': 'export type Table = 1\nexport const table = 1',
    'src/client/call.ts': `import type { Table } from '#api/operations.ts'\nexport type Call = Table`,
  })
  expect((await checkLayers(root)).violations).toEqual([])
  await source({ 'src/client/other.ts': `export { table } from '#api/operations.ts'` })
  expect((await checkLayers(root)).violations).toHaveLength(1)
})

test('another layer is imported by its name, wherever the file lies', async () => {
  await source({
    'src/domain/verdict.ts': 'export const ask = 1',
    'src/policy/shell/judge.ts': `export { ask } from '../../domain/verdict.ts'`,
  })
  expect((await checkLayers(root)).violations).toEqual([
    'src/policy/shell/judge.ts -> src/domain/verdict.ts: another layer is written #domain/verdict.ts',
  ])
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
  await source({ 'src/domain/a.ts': `import '#store/gone.ts'` })
  expect((await checkLayers(root)).violations.join()).toContain('leads nowhere')
})

test('imports of a module with `using` declarations are judged like others', async () => {
  await source({
    'src/domain/a.ts': `import { b } from '#store/b.ts'\nexport function a() { using c = b() }`,
    'src/store/b.ts': `export const b = () => ({ [Symbol.dispose]() {} })`,
  })
  expect((await checkLayers(root)).violations).toHaveLength(1)
})

test('a room imports the rooms before it, and its tests import any', async () => {
  await source({
    'src/services/core/context.ts': 'export type Context = 1',
    'src/services/requests/end.ts': `import type { Context } from '../core/context.ts'\nexport type End = Context`,
    'src/services/core/context.it.test.ts': `import type { End } from '../requests/end.ts'\nexport type Test = End`,
  })
  expect(await checkLayers(root)).toEqual({ modules: 3, violations: [] })
})

test.each([
  ['services', 'core', 'requests', 'core/a.ts', 'requests/b.ts'],
  ['services', 'requests', 'engine', 'requests/facts/a.ts', 'engine/turns/b.ts'],
  ['services/engine', 'attempts', 'executions', 'attempts/a.ts', 'executions/b.ts'],
  ['services/access', '.', 'sessions', 'a.ts', 'sessions/b.ts'],
])(
  'in %s, an import from %s back to %s is a violation',
  async (folder, earlier, later, from, to) => {
    const [importer, imported] = [`src/${folder}/${from}`, `src/${folder}/${to}`]
    const specifier = `${'../'.repeat(from.split('/').length - 1) || './'}${to}`
    await source({
      [importer]: `import type { B } from '${specifier}'\nexport type A = B`,
      [imported]: 'export type B = 1',
    })
    expect((await checkLayers(root)).violations).toEqual([
      `${importer} -> ${imported}: in src/${folder}, ${earlier} stands before ${later} and does not import it`,
    ])
  },
)

test.each([
  ['src/services/parlour/a.ts', 'src/services/parlour is not in the order of src/services'],
  ['src/services/a.ts', 'files of src/services itself are not in the order of src/services'],
  [
    'src/services/engine/a/b.ts',
    'src/services/engine/a is not in the order of src/services/engine',
  ],
  ['src/services/grants/a/b.ts', 'src/services/grants/a: src/services/grants has no order'],
])('a file in a folder that is in no order is a violation: %s', async (path, sentence) => {
  await source({ [path]: 'export const a = 1' })
  const { violations } = await checkLayers(root)
  expect(violations).toHaveLength(1)
  expect(violations[0]).toContain(sentence)
})

test('an order names only folders that exist, each once', async () => {
  for (const [folder, rooms] of Object.entries(roomOrders)) {
    const entries = await readdir(join(projectRoot, folder), { withFileTypes: true })
    const present = entries.map((entry) => (entry.isDirectory() ? entry.name : '.'))
    expect(
      rooms.filter((room, at) => !present.includes(room) || rooms.indexOf(room) < at),
      folder,
    ).toEqual([])
  }
})
