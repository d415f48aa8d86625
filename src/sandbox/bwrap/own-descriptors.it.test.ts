import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { findSandbox } from './find-sandbox.ts'

const sandbox = await findSandbox('bwrap')

/** A process of its own that lists what a command in a sandbox finds open. */
const host = `
  import { lstatSync } from 'node:fs'
  import { commandLimits } from ${JSON.stringify(new URL('../process/command-limits.ts', import.meta.url))}
  import { findSandbox } from ${JSON.stringify(new URL('find-sandbox.ts', import.meta.url))}
  import { runSandboxed } from ${JSON.stringify(new URL('run-sandboxed.ts', import.meta.url))}
  const [folder] = process.argv.slice(1)
  const { dev, ino } = lstatSync(folder, { bigint: true })
  const zones = [{ path: folder, mode: 'rw', identity: dev + ':' + ino }]
  const end = await runSandboxed({
    ...(await findSandbox('bwrap')),
    plan: { zones, readOnly: [], pinned: [], covered: [], emptied: [], copies: [], cwd: folder, cwdIdentity: null },
    argv: ['ls', '/proc/self/fd'],
    timeoutMs: 300_000,
    limits: commandLimits,
    network: 'none',
    signal: new AbortController().signal,
  })
  process.stdout.write(end.stdout.bytes)
`

// Rules: security.md 7
test.skipIf(!sandbox.works)(
  'a command finds no descriptor open that the service was started with',
  { timeout: 180_000 },
  async () => {
    const folder = newFolder('descriptors-')
    writeFileSync(path.join(folder, 'secret'), 'secret\n')
    // As a launcher leaves it: far from the others, where Node closes nothing for its children.
    const launch = 'exec 30< "$1/secret"; shift; exec "$@"'
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
