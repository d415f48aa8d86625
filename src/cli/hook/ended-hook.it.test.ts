import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { newFolder } from '#test/harness/new-folder.ts'

const programs = [
  ['countersign-hook', ['./hook-program.ts', 'claude-code']],
  ['countersign hook', ['../main.ts', 'hook', 'claude-code']],
] as const
const event = {
  session_id: 's',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
}

function startHook(
  [program, ...words]: readonly [string, ...string[]],
  url: string,
  stdout: number | 'pipe',
  eventName = 'PreToolUse',
) {
  const folder = newFolder('countersign-ended-hook-')
  const file = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, file, ...words, '--url', url], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, COUNTERSIGN_API_KEY: 'cs_key' },
    stdio: ['pipe', stdout, 'pipe'],
  })
  child.stdin?.end(JSON.stringify({ ...event, hook_event_name: eventName }))
  return child
}

describe.each(programs)('%s', (_, words) => {
  /** The exit code of a hook that is ended while it waits for the service. */
  async function endedBy(signal: NodeJS.Signals, eventName?: string): Promise<unknown> {
    const waiting = Promise.withResolvers<void>()
    const service = createServer(({ url }, response) => {
      if (url === '/healthz') response.end()
      else waiting.resolve()
    })
    const port = await listenHere(service)
    const child = startHook(words, `http://127.0.0.1:${port}`, 'pipe', eventName)
    await waiting.promise
    child.kill(signal)
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr!)])
    await closeServer(service)
    expect(said).toContain('was ended before its answer')
    return code
  }

  // Claude Code and Codex make the call of a hook that ends in another way.
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'that is ended by %s while people decide denies the call',
    async (signal) => expect(await endedBy(signal)).toBe(2),
  )

  // After exit code 2 Claude Code asks its own person, also with `onFailure: "block"`.
  test('that is ended at a permission request denies it where the settings say so', async () => {
    expect(await endedBy('SIGTERM', 'PermissionRequest')).toBe(1)
  })

  test('that is ended after a call reports no failure, which the model would take for that of the call', async () => {
    expect(await endedBy('SIGTERM', 'PostToolUse')).toBe(0)
  })

  test.runIf(process.platform === 'linux')(
    'that cannot write its answer denies the call',
    async () => {
      const child = startHook(words, 'http://127.0.0.1:1', openSync('/dev/full', 'w'))
      expect((await once(child, 'exit'))[0]).toBe(2)
    },
  )
})
