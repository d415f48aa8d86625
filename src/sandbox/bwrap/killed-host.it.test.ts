import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findSandbox } from './find-sandbox.ts'

const sandbox = await findSandbox('bwrap')

/** A process of its own that runs a command in a sandbox, as a Temporal worker does. */
const host = `
  import { lstatSync } from 'node:fs'
  import { commandLimits } from ${JSON.stringify(new URL('../process/command-limits.ts', import.meta.url))}
  import { findSandbox } from ${JSON.stringify(new URL('find-sandbox.ts', import.meta.url))}
  import { runSandboxed } from ${JSON.stringify(new URL('run-sandboxed.ts', import.meta.url))}
  const [folder, name] = process.argv.slice(1)
  const { dev, ino } = lstatSync(folder, { bigint: true })
  const zones = [{ path: folder, mode: 'rw', identity: dev + ':' + ino }]
  const script = 'setsid -f bash -c "trap \\'\\' TERM HUP; exec -a ' + name + ' sleep 300"; echo x > begun; sleep 300'
  await runSandboxed({
    ...(await findSandbox('bwrap')),
    plan: { zones, readOnly: [], pinned: [], covered: [], emptied: [], copies: [], cwd: folder, cwdIdentity: null },
    argv: ['/bin/bash', '-c', script],
    timeoutMs: 300_000,
    limits: commandLimits,
    network: 'none',
    signal: new AbortController().signal,
  })
`

/** Whether a process with this word in its arguments runs anywhere on the host. */
function runs(word: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)
    } catch {
      return false
    }
  })
}

// Rules: security.md 7, 9
test.skipIf(!sandbox.works)(
  'when the process that runs a command is killed, nothing of the command is left',
  { timeout: 180_000 },
  async () => {
    const folder = newFolder('killed-')
    const name = `countersign-killed-${process.pid}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', host, folder, name], {
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    try {
      const begun = () => existsSync(path.join(folder, 'begun'))
      await expect.poll(begun, { timeout: 60_000 }).toBe(true)
      await expect.poll(() => runs(name), { timeout: 60_000 }).toBe(true)
      child.kill('SIGKILL')
      await ended
      await expect.poll(() => runs(name), { timeout: 60_000 }).toBe(false)
    } finally {
      child.kill('SIGKILL')
    }
  },
)
