import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { waitUntil } from './wait-until.ts'

const serve = `
  const { serveProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'serve-process.ts'))})
  await serveProcess(1_000, async () => void setInterval(() => undefined, 1_000))
`

test('a process that serves leaves compiled code for the next start, also where it is killed later', async () => {
  const compiled = newFolder('countersign-compiled-')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', serve], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  try {
    const files = await waitUntil(
      async () => {
        const entries = await readdir(compiled, { recursive: true, withFileTypes: true })
        const found = entries.filter((entry) => entry.isFile())
        return found.length > 0 ? found : null
      },
      { timeoutMs: 60_000, everyMs: 20 },
    )
    expect(files).not.toBeNull()
    expect(child.exitCode).toBeNull()
  } finally {
    child.kill('SIGKILL')
    await exited
  }
})
