import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { resolveForeignHost, resolveHost } from './find-target.ts'

// Runs with a network of its own, in which this is the name server: it answers for nothing but
// `other.test`, and prints which lookups end, in their order.
const server = createSocket('udp4')
server.on('message', (query, from) => {
  const name = query.subarray(12).toString('latin1')
  if (!name.startsWith('\u0005other\u0004test\0')) return
  const end = 12 + 12 + 4
  const type = query.readUInt16BE(end - 4)
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(type === 1 ? 1 : 0, 6)
  header.writeUInt32BE(0, 8)
  const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
  const answer = [header, query.subarray(12, end), ...(type === 1 ? [address] : [])]
  server.send(Buffer.concat(answer), from.port, from.address)
})
server.bind(53, '127.0.0.1')
await once(server, 'listening')

const ended: string[] = []
const recordEnd = (what: string) => () => void ended.push(what)
for (let number = 0; number < 20; number += 1) {
  // Of many domains, as programs choose them; and of one, as somebody may configure them.
  resolveForeignHost(`n.silent${number}.test`).then(recordEnd('silent'), recordEnd('silent'))
  resolveHost(`n${number}.silent.test`).then(recordEnd('silent'), recordEnd('silent'))
}
await resolveHost('other.test').then(([address]) => ended.push(`other ${address}`))
// What the rest of the process does with names: the database, the sign-in provider.
await lookup('localhost').then(recordEnd('localhost'))
console.log(JSON.stringify(ended))
process.exit(0)
