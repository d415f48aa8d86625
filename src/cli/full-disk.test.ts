import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { newFolder } from '#test/harness/new-folder.ts'

const command = fileURLToPath(new URL('../../bin/countersign', import.meta.url))
const line = `${JSON.stringify({ run: 'a'.repeat(3000) })}\n`

// Rules: security.md 42
test.each([
  ['an archive', ['archive', '--before', '2026-09-01', '--out', 'out.jsonl'], 'printed'],
  ['an export that is printed into a file', ['audit', 'export'], 'out.jsonl'],
])('%s of which the disk takes a part only is a failure that says so', async (_, args, out) => {
  const service = createServer((_request, response) => response.end(line))
  const cwd = newFolder('countersign-full-disk-')
  await using printed = await open(join(cwd, out), 'w')
  // A file has at most 2 KiB: the rest of the line is not stored, as on a full disk.
  const limited = ['-c', 'ulimit -f 2; exec "$@"', 'bash', process.execPath, command, ...args]
  const child = spawn('bash', limited, {
    cwd,
    env: {
      ...process.env,
      COUNTERSIGN_URL: `http://127.0.0.1:${await listenHere(service)}`,
      COUNTERSIGN_API_KEY: 'cs_key',
    },
    stdio: ['ignore', printed.fd, 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const [said, [code]] = await Promise.all([text(child.stderr!), ended])
  await closeServer(service)
  expect(said).toMatch(/^.*EFBIG: file too large, write.*\n$/)
  expect(code).toBe(1)
  // The part of an archive would refuse the next attempt, which overwrites nothing.
  expect(existsSync(join(cwd, 'out.jsonl'))).toBe(out === 'out.jsonl')
})
