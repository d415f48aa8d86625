import { expect, test } from 'vitest'
import { limits } from '#domain/limits.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { toolProject } from './project.fixture.ts'
import { ToolProcessPool } from './tool-process-pool.ts'

async function poolOf(project: Awaited<ReturnType<typeof toolProject>>, spareMs: number) {
  const { projectDir, toolFiles } = project
  const hashes = Object.fromEntries(toolFiles.map((file) => [file.path, file.hash]))
  const maxResultBytes = limits.storedOutputBytes
  const setup = { projectDir, entries: ['tools/a.ts'], hashes, maxResultBytes }
  return new ToolProcessPool(setup, {}, { spareMs })
}

/** Two processes that were used at the same time, the first of them given back first. */
async function twoOf(pool: ToolProcessPool) {
  const first = await pool.take()
  const second = await pool.take()
  await pool.giveBack(first)
  await pool.giveBack(second)
  return [first.child, second.child] as const
}

test('of the processes that no query needs, only the one used last stays', async () => {
  await using project = await toolProject({ a: `return input.text` })
  await using pool = await poolOf(project, 300)
  const [first, second] = await twoOf(pool)
  await waitUntil(async () => !first.isAlive || 'the first one still runs')
  expect(second.isAlive).toBe(true)
  expect((await pool.take()).child).toBe(second)
})

test('a recently used process serves the next query', async () => {
  await using project = await toolProject({ a: `return input.text` })
  await using pool = await poolOf(project, 3_600_000)
  const [first, second] = await twoOf(pool)
  expect((await pool.take()).child).toBe(second)
  expect((await pool.take()).child).toBe(first)
})

// Rules: product.md 4; security.md 42
test('where no file descriptor is free, a query does not begin, and the process goes on', () => {
  const imports = `import { startChild } from '#tools/custom/query-child.ts'`
  const start = `startChild({
    main: new URL('file:///none'), cwd: '/', environment: {}, maxAnswerBytes: 1,
  })`
  expect(withoutDescriptors(imports, start)).toBe(
    "QueryNotAccepted: The tool's process could not be started: too many files are open.",
  )
})
