import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StdioTransport } from './stdio-transport.ts'

const message = { jsonrpc: '2.0', id: 1, method: 'initialize' } as const

/** A program that has ended, of which only the operating system knows it. */
async function endedProgram(script: string): Promise<StdioTransport> {
  const args = ['-c', `exec 0<&-; ${script}`]
  const transport = new StdioTransport(
    {
      type: 'stdio',
      command: '/bin/sh',
      args,
      environment: {},
      cwd: '/',
      descriptors: [],
      network: 'none',
      cover: null,
    },
    (sent) => sent,
  )
  await transport.start()
  return transport
}

test('a program that exits before the first message is reported with its exit, not with a broken pipe', async () => {
  const transport = await endedProgram('echo no licence >&2; exit 3')
  const sending = async (): Promise<void> => {
    for (;;) {
      // Blocks the thread, as a busy machine does: no event of the program arrives meanwhile.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      await transport.send(message)
      await setImmediate()
    }
  }
  await expect(sending()).rejects.toThrow('it ended with exit code 3; it said: no licence')
})

test('a program that we closed is not reported as exited', async () => {
  const transport = await endedProgram('exec sleep 60')
  await transport.close()
  expect(transport.ended).toBeNull()
  await expect(transport.send(message)).rejects.toThrow('it was closed')
})
