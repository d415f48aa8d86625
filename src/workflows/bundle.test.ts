import { bundleWorkflowCode } from '@temporalio/worker'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** Every waiting run holds the bundle's objects, so that its size is the heap of a waiting run. */
const maxBytes = 700_000

interface Bundle {
  /** Without the source map that is appended as a comment. */
  bytes: number
  modules: string[]
}

async function bundle(workflowsPath: string): Promise<Bundle> {
  const silent = () => undefined
  const errors: unknown[] = []
  const error = (message: unknown) => void errors.push(message)
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error }
  const { code } = await bundleWorkflowCode({ workflowsPath, logger }).catch((cause: unknown) => {
    throw new Error(errors.join('\n'), { cause })
  })
  return {
    bytes: Buffer.byteLength(code.replace(/^\/\/# sourceMappingURL=.*$/m, '')),
    modules: [...code.matchAll(/^ {2}!\*{3} (\S+)/gm)].map((match) => match[1] ?? ''),
  }
}

async function bundleOf(source: string): Promise<Bundle> {
  // Inside the checkout, or the SDK would not be found and every bundle would fail.
  const caches = join(import.meta.dirname, '..', '..', 'node_modules', '.cache')
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(join(caches, 'bundle-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'index.js'), source)
  return bundle(join(folder, 'index.js'))
}

const foreign = (modules: readonly string[]): string[] =>
  modules.filter((path) => /node_modules\/(zod|ai|@ai-sdk|pg|kysely)\//.test(path))

test('the bundle is small, and holds our workflows, the SDK and nothing else of size', async () => {
  const { bytes, modules } = await bundle(join(import.meta.dirname, 'index.ts'))
  expect(modules).toContain('./src/workflows/agent-run.ts')
  expect(foreign(modules)).toEqual([])
  expect(modules.filter((path) => /^\.\/src\/(?!workflows\/|domain\/)/.test(path))).toEqual([])
  expect(bytes).toBeLessThan(maxBytes)
}, 240_000)

test('no module of the workflows holds state: all runs of a worker share them', async () => {
  const names = (await readdir(import.meta.dirname)).filter((name) => !name.includes('.test.'))
  expect(names).toContain('agent-run.ts')
  const holders = await Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(import.meta.dirname, name), 'utf8')
      const state = /^(export )?(let|var) |^(export )?const [^=\n]+= (new |\[|\{)/m.exec(source)
      return state === null ? [] : [`${name}: ${state[0]}`]
    }),
  )
  expect(holders.flat()).toEqual([])
})

test('a workflow that takes zod along is noticed', async () => {
  const { bytes, modules } = await bundleOf(
    `import { z } from 'zod'\nexport const run = async () => z.string().parse('a')`,
  )
  expect(foreign(modules).length).toBeGreaterThan(0)
  expect(bytes).toBeGreaterThan(maxBytes)
}, 240_000)

test("a workflow that uses Node's modules does not bundle", async () => {
  const source = `import { readFileSync } from 'node:fs'\nexport const run = async () => readFileSync('/etc/hostname')`
  await expect(bundleOf(source)).rejects.toThrow(/disallowed|node:fs/)
}, 240_000)
