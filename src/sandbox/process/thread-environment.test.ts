import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'

/** Prints the folder of compiled code and the variables of a thread that gets this environment. */
const program = `
import { getCompileCacheDir } from 'node:module'
import { Worker } from 'node:worker_threads'
const { threadEnvironment } = await import(process.argv[1])
const text = \`
const { parentPort } = require('node:worker_threads')
const cache = require('node:module').getCompileCacheDir() ?? null
parentPort.postMessage({ cache, names: Object.keys(process.env) })\`
const thread = new Worker(text, { eval: true, env: threadEnvironment(), execArgv: [] })
const seen = await new Promise((resolve) => thread.once('message', resolve))
const cache = getCompileCacheDir() ?? null
process.stdout.write(JSON.stringify({ cache, thread: seen }), () => process.exit(0))
`

async function run(env: Record<string, string>) {
  const file = new URL('./thread-environment.ts', import.meta.url).href
  const argv = ['--input-type=module', '-e', program, file]
  const { stdout } = await promisify(execFile)(process.execPath, argv, { env })
  return JSON.parse(stdout) as {
    cache: string | null
    thread: { cache: string | null; names: string[] }
  }
}

test('a thread uses the compiled code of its process, and has no other variable of it', async () => {
  const folder = newFolder('countersign-compiled-')
  const { cache, thread } = await run({ NODE_COMPILE_CACHE: folder, TOKEN: 'secret' })
  expect(cache).toContain(folder)
  expect(thread).toEqual({ cache, names: ['NODE_COMPILE_CACHE'] })
})

test('without compiled code a thread has no variable at all', async () => {
  const { cache, thread } = await run({ TOKEN: 'secret' })
  expect(cache).toBeNull()
  expect(thread).toEqual({ cache: null, names: [] })
})
