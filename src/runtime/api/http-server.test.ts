import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { boundConnections, listen } from './http-server.ts'

const address = { host: '127.0.0.1', port: 0, trustProxy: true }

test('a port that is taken is refused with one sentence', async () => {
  const first = await listen(() => undefined, address)
  const again = { ...address, port: first.port }
  await expect(listen(() => undefined, again)).rejects.toThrow(
    `port ${first.port} on 127.0.0.1 is taken by another program`,
  )
  await first.drain(0)
})

test('connections of one address beyond the bound are refused with a sentence, until one closes', async () => {
  const listening = await listen((_, response) => response.end('served'), address)
  boundConnections(listening.server, 1)
  const open = connect(listening.port, address.host)
  await once(open, 'connect')
  const url = `http://${address.host}:${listening.port}`
  const refused = await fetch(url)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await refused.text()).toContain('too many connections')
  open.destroy()
  await expect.poll(async () => (await fetch(url)).status).toBe(200)
  await listening.drain(0)
})

test('a drain lets an answer under way finish and cuts what lasts longer than the grace', async () => {
  const answered = Promise.withResolvers<() => void>()
  const listening = await listen((_, response) => {
    answered.resolve(() => response.end('finished'))
  }, address)
  const url = `http://${address.host}:${listening.port}`
  const answer = fetch(url).then((response) => response.text())
  const finish = await answered.promise
  const drained = listening.drain(5000)
  finish()
  expect(await answer).toBe('finished')
  await drained
  const stuck = await listen(() => undefined, address)
  const cut = fetch(`http://${address.host}:${stuck.port}`).then(
    () => 'answered',
    () => 'cut',
  )
  await once(stuck.server, 'request')
  await stuck.drain(20)
  expect(await cut).toBe('cut')
})
