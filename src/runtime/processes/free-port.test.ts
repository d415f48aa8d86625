import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { choosePort, isPortFree } from './free-port.ts'

test('the wanted port is taken when it is free, and another one when it is not', async () => {
  const server = createServer()
  const port = await listenHere(server)
  expect(await isPortFree(port, '127.0.0.1')).toBe(false)
  expect(await choosePort(port)).not.toBe(port)
  await closeServer(server)
  expect(await choosePort(port)).toBe(port)
})

test('a chosen port is not one that the system gives to outgoing connections', async () => {
  for (let draw = 0; draw < 20; draw += 1) expect(await choosePort(undefined)).toBeLessThan(32_768)
})
