import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findSandbox } from './find-sandbox.ts'

const sandbox = await findSandbox('bwrap')

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url))

/**
 * A script for a process of its own that runs a command in a sandbox: `argv` is an expression over
 * `folder`, the zone, and `name`, its second argument; `then` gets the end of the command as `end`.
 */
function sandboxScript(argv: string, then = ''): string {
  return `
  import { lstatSync } from 'node:fs'
  import { commandLimits } from ${moduleAt('../process/command-limits.ts')}
  import { findSandbox } from ${moduleAt('find-sandbox.ts')}
  import { runSandboxed } from ${moduleAt('run-sandboxed.ts')}
  const [folder, name] = process.argv.slice(1)
  const { dev, ino } = lstatSync(folder, { bigint: true })
  const zones = [{ path: folder, mode: 'rw', identity: dev + ':' + ino }]
  const end = await runSandboxed({
    ...(await findSandbox('bwrap')),
    plan: { zones, readOnly: [], pinned: [], covered: [], emptied: [], copies: [], cwd: folder, cwdIdentity: null },
    argv: ${argv},
    timeoutMs: 300_000,
    limits: commandLimits,
    network: 'none',
    signal: new AbortController().signal,
  })
  ${then}
`
}

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
  'when the process that runs a command is killed, no process of the command survives',
  { timeout: 180_000 },
  async () => {
    const folder = newFolder('killed-')
    const script =
      "'setsid -f bash -c \"trap \\'\\' TERM HUP; exec -a ' + name + ' sleep 300\"; echo x > begun; sleep 300'"
    const host = sandboxScript(`['/bin/bash', '-c', ${script}]`)
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

// Rules: security.md 7
test.skipIf(!sandbox.works)(
  'a command finds no descriptor open that the service was started with',
  { timeout: 180_000 },
  async () => {
    const folder = newFolder('descriptors-')
    writeFileSync(path.join(folder, 'secret'), 'secret\n')
    // As a launcher leaves it: far from the others, where Node closes nothing for its children.
    const launch = 'exec 30< "$1/secret"; shift; exec "$@"'
    const host = sandboxScript("['ls', '/proc/self/fd']", 'process.stdout.write(end.stdout.bytes)')
    const node = [process.execPath, '--input-type=module', '-e', host, folder]
    const child = spawn('/bin/bash', ['-c', launch, 'bash', folder, ...node], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')))
    await new Promise((resolve) => child.once('close', resolve))
    // Its streams, and the folder that it lists.
    expect(output).toBe('0\n1\n2\n3\n')
  },
)
