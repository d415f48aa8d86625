import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'

async function watched(wedgedMs: number) {
  const fixture = fileURLToPath(new URL('loop-turns.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [fixture, String(wedgedMs)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString('utf8')))
  const exited = once(child, 'exit')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${Number(String(line))}${path}`)
    return { status: answer.status, text: await answer.text() }
  }
  return { child, ask, exited, block: () => child.stdin.write('x'), outputText: () => output }
}

// Rules: security.md 27
test('/readyz of the watching thread reports a blocked event loop; /metrics answers while the loop runs', async () => {
  const { ask, block } = await watched(3_600_000)
  expect(await ask('/readyz')).toMatchObject({ status: 200 })
  expect(await ask('/metrics')).toEqual({ status: 200, text: 'figures\n' })
  expect((await ask('/else')).status).toBe(404)
  block()
  await waitUntil(async () => (await ask('/readyz')).status === 503)
  expect(JSON.parse((await ask('/readyz')).text)).toMatchObject({
    ready: false,
    problems: [expect.stringMatching(/has been blocked for/)],
  })
  expect((await ask('/metrics')).status).toBe(503)
}, 240_000)

test('a process whose event loop is blocked for long ends, and logs why', async () => {
  const { block, exited, outputText } = await watched(2_000)
  block()
  expect(await exited).toEqual([null, 'SIGKILL'])
  expect(outputText()).toContain('the event loop has been blocked for 2 s')
}, 240_000)
