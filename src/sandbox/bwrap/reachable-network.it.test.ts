import { expect, test } from 'vitest'
import { attackWorld, worldProblem } from './own-namespaces.fixture.ts'

const problem = await worldProblem(['slirp4netns', 'ip', 'nsenter', 'unshare', 'python3'])
if (problem !== null) console.warn(`The attacks on "network: allow" are skipped: ${problem}.`)

const addresses = [
  '10.0.2.77',
  '10.20.30.40',
  '100.64.1.2',
  '169.254.169.254',
  '172.20.0.5',
  '192.168.77.1',
  '198.18.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '198.51.100.1',
  '203.0.113.1',
]

/** Tries each address in each way that a program can choose where its packets go. */
const attack = `
import socket, struct, sys
from concurrent.futures import ThreadPoolExecutor
def ways(address):
    yield 'plainly', lambda s: None
    names = [name for _, name in socket.if_nameindex() if name != 'lo']
    yield 'bound', lambda s: s.setsockopt(socket.SOL_SOCKET, 25, names[0].encode())
    yield 'unicast', lambda s: s.setsockopt(socket.IPPROTO_IP, 50, struct.pack('!I', socket.if_nametoindex(names[0])))
    yield 'unrouted', lambda s: s.setsockopt(socket.SOL_SOCKET, socket.SO_DONTROUTE, 1)
    gateway = socket.inet_aton('10.0.2.2')
    yield 'by a route of its own', lambda s: s.setsockopt(socket.IPPROTO_IP, 4, bytes([131, 7, 4]) + gateway + b'\\0')
def reached(address):
    said = []
    for way, set in ways(address):
        s = socket.socket()
        s.settimeout(1.5)
        try:
            set(s)
            s.connect((address, 8080))
            s.send(b'GET / HTTP/1.0\\r\\n\\r\\n')
            text = b''
            while True:
                more = s.recv(4096)
                if not more: break
                text += more
            if b'reached' in text: said.append(way)
        except OSError: pass
        s.close()
    return address + (' reached ' + ', '.join(said) if said else ' closed')
with ThreadPoolExecutor(16) as threads:
    for line in threads.map(reached, sys.argv[1:]): print(line)
`

// Rules: security.md 7, 30
test.skipIf(problem !== null)(
  'network: allow reaches public addresses, and no private, shared or link-local address or one of the host, whatever system call a program uses',
  { timeout: 240_000 },
  async () => {
    const { answers: reached, errors } = await attackWorld(attack, addresses)
    const closed = ['93.184.215.1', ...addresses]
    for (const address of ['93.184.215.7', ...closed]) {
      expect(reached['host'], errors).toContainEqual(expect.stringMatching(`^${address} reached`))
    }
    expect(reached['sandbox'], errors).toEqual([
      expect.stringMatching(/^93\.184\.215\.7 reached plainly/),
      ...closed.map((address) => `${address} closed`),
    ])
  },
)
