import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'

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

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the first %s requests the end; a repetition within a second changes nothing; a later one ends at once',
  async (signal) => {
    await startListener()
    const first = nextLine()
    child.kill(signal)
    expect(await first).toBe(signal)
    child.kill(signal)
    await delay(1_200)
    expect(child.exitCode).toBeNull()
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    expect(await ended).toEqual([130, null])
  },
)

test('each hang-up without a terminal reloads the project, and ends nothing', async () => {
  await startListener()
  for (let times = 0; times < 2; times += 1) {
    const line = nextLine()
    child.kill('SIGHUP')
    expect(await line).toBe('reload')
  }
  expect(child.exitCode).toBeNull()
})
