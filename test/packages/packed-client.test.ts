import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openPackedProject, runProgram } from './packed.ts'

const checkout = join(import.meta.dirname, '../..')
const maxKilobytes = 12

const project = disposeAfterTests(await openPackedProject())

const names =
  'AlreadyTakenError BlockedError CancelledError CountersignError DeniedError ExpiredError MismatchError askAbout callDigest callbackSecret createClient externalIdOf notRun perform settle'

test('the tarball gives the same names to `import` and to `require`', async () => {
  const print =
    'console.log(Object.keys(client).filter((name) => name !== "default").sort().join(" "))'
  const imported = await project.write(
    'a.mjs',
    `import * as client from '@countersign/client'\n${print}`,
  )
  const required = await project.write(
    'b.cjs',
    `const client = require('@countersign/client')\n${print}`,
  )
  for (const file of [imported, required]) {
    const { stdout } = await runProgram(process.execPath, [file])
    expect(stdout.trim()).toBe(names)
  }
})

test('the tarball has no dependency, and contains neither sources nor a path of this checkout', async () => {
  const { dependencies, version } = JSON.parse(
    await readFile(join(project.folder, 'node_modules/@countersign/client/package.json'), 'utf8'),
  )
  expect(dependencies).toBeUndefined()
  const service = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'))
  expect(version).toBe(service.version)
  const { stdout } = await runProgram('grep', ['-rlF', checkout, '.'], {
    cwd: join(project.folder, 'node_modules/@countersign'),
  }).catch(() => ({ stdout: '' }))
  expect(stdout).toBe('')
})

const typed = `
const client = createClient({ url: 'http://localhost:4400', apiKey: 'cs_key', timeoutMs: 5000 })
export const ran: Promise<string> = client.gate(
  { tool: 'deploy', input: { version: '1' } },
  ({ input }) => input.version,
)
export async function wait(id: string): Promise<string | undefined> {
  const { decidedBy, digest, request, state } = await client.decision(id, { wait: 30 })
  const { facts, input, tool } = request
  const isSame = (await callDigest({ tool, input, toolHash: String(facts.toolHash) })) === digest
  if (state === 'approved' && isSame) await client.consume(id, digest)
  // @ts-expect-error: an outcome has three words
  await client.report(id, { state: 'done' })
  return decidedBy
}
export const isOurs = (error: unknown): boolean => error instanceof CountersignError
`
const imports = `import { callDigest, createClient, CountersignError } from '@countersign/client'\n`

test.each([
  ['nodenext', 'types.mts', ['es2022', 'dom']],
  ['nodenext', 'types.cts', ['es2022', 'dom']],
  ['bundler', 'types.ts', ['es2022', 'dom']],
  // Node's types instead of a browser's.
  ['nodenext', 'node.mts', ['es2022']],
])('its declarations are strict under "%s" in %s', async (moduleResolution, file, lib) => {
  await project.write(file, imports + typed)
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: lib.length === 1,
      noEmit: true,
      module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution,
      target: 'es2022',
      lib,
      types: lib.length === 1 ? ['node'] : [],
      typeRoots: [join(checkout, 'node_modules/@types')],
    },
    files: [file],
  }
  const configFile = await project.write(`tsconfig.${file}.json`, JSON.stringify(config))
  const problems = await runProgram(join(checkout, 'node_modules/.bin/tsc'), ['-p', configFile])
    .then(() => '')
    .catch((error) => error.stdout)
  expect(problems).toBe('')
})

test('`npm run release` says what is missing when it is not told where to write', async () => {
  const script = join(checkout, 'scripts/release.ts')
  const refused = await runProgram(process.execPath, [script], { cwd: checkout }).catch(
    (error) => error,
  )
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--out is missing') })
})

test(`a browser loads at most ${maxKilobytes} kB of it, minified`, async () => {
  const entry = await project.write('entry.js', `export * from '@countersign/client'\n`)
  const built = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: ['iife'], name: 'client' },
    },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (output === undefined || !('output' in output)) throw new Error('nothing was built')
  const [chunk] = output.output
  const bytes = Buffer.byteLength(chunk.code)
  expect(bytes).toBeGreaterThan(2000)
  expect(bytes).toBeLessThanOrEqual(maxKilobytes * 1000)
  expect(chunk.code).not.toMatch(/\bBuffer\b|node:/)
})
