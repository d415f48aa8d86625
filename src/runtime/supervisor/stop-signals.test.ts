import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { waitUntil } from '#test/harness/wait-until.ts'

const module = fileURLToPath(new URL('stop-signals.ts', import.meta.url))
/** Prints each signal that it gets, and never ends by itself. */
const listener = `
  import { stopSignal } from ${JSON.stringify(module)}
  setInterval(() => undefined, 1000)
  void stopSignal({ onReload: () => console.log('reload') }).then((signal) => console.log(signal))
  console.log('listening')
`

let child: ChildProcess
let lines: Interface

/** A process without a terminal, as a service has none. */
async function startListener(): Promise<void> {
  child = spawn(process.execPath, ['--input-type=module', '--eval', listener], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('no output')
  lines = createInterface(child.stdout)
  expect(await nextLine()).toBe('listening')
}
afterEach(() => void child.kill('SIGKILL'))

async function nextLine(): Promise<string> {
  const [line] = (await once(lines, 'line')) as [string]
  return line
}

async function reloadTwice(): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    const line = nextLine()
    child.kill('SIGHUP')
    expect(await line).toBe('reload')
  }
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the first %s requests the end; a repetition within a second changes nothing; a later one ends at once',
  async (signal) => {
    await startListener()
    const first = nextLine()
    child.kill(signal)
    expect(await first).toBe(signal)
    child.kill(signal)
    // It has had the repetition before it prints the second line.
    await reloadTwice()
    expect(child.exitCode).toBeNull()
    await waitUntil(() => {
      child.kill('SIGINT')
      return child.exitCode !== null
    })
    expect(child.exitCode).toBe(130)
  },
)

test('each hang-up without a terminal reloads the project, and ends nothing', async () => {
  await startListener()
  await reloadTwice()
  expect(child.exitCode).toBeNull()
})
