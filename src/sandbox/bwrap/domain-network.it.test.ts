import { expect, test } from 'vitest'
import { attackWorld, worldProblem } from './own-namespaces.fixture.ts'

const problem = await worldProblem(['ip', 'nsenter', 'unshare', 'python3'])
if (problem !== null) console.warn(`The attacks on listed domains are skipped: ${problem}.`)

/** Addresses of the world besides 93.184.215.7, the other machine, and 93.184.215.1, the host. */
const addresses = ['10.20.30.40', '169.254.169.254']
const hosts = `
93.184.215.7 good.test wild.test a.wild.test usual.test other.test mixed.test
10.20.30.40 private.test mixed.test
169.254.169.254 meta.test
93.184.215.1 own.test
127.0.0.1 loop.test
`
const domains = ['good', 'private', 'mixed', 'meta', 'own', 'loop', '*.wild']
  .map((name) => `${name}.test:8080`)
  .concat('usual.test')

/** Each line is a way out and whether the server there was reached by it. */
const attack = `
import os, socket, sys, urllib.request
def get(s, first=b'', last=b'GET / HTTP/1.0\\r\\n\\r\\n'):
    text = b''
    if first:
        s.sendall(first)
        text = s.recv(4096)
        if b' 200 ' not in text.split(b'\\r\\n')[0]: return text
    s.sendall(last)
    while True:
        more = s.recv(4096)
        if not more: return text
        text += more
def say(what, way):
    try: text = way()
    except Exception as error: text = str(error).encode()
    print(what, 'reached' if b'reached' in text else 'closed', flush=True)
for address in sys.argv[1:]:
    say(address, lambda: get(socket.create_connection((address, 8080), 1.5)))
def resolved(name): return socket.gethostbyname(name).encode() and b'reached'
say('resolver', lambda: resolved('good.test'))
def plain(name): return urllib.request.urlopen('http://' + name + '/', timeout=5).read()
def tunnel(name):
    s = socket.create_connection(('127.0.0.1', 3128), 5)
    return get(s, b'CONNECT ' + name.encode() + b' HTTP/1.1\\r\\n\\r\\n')
if 'http_proxy' in os.environ:
    print(sorted(name for _, name in socket.if_nameindex()), len(open('/proc/net/route').readlines()) - 1)
    names = ['good', 'a.wild', 'other', 'wild', 'usual', 'private', 'mixed', 'meta', 'own', 'loop']
    for name in [n + '.test:8080' for n in names] + [a + ':8080' for a in sys.argv[1:]] + ['good.test:22']:
        say('plain ' + name, lambda: plain(name))
        say('tunnel ' + name, lambda: tunnel(name))
`

// Rules: workers-and-policy.md, shell rules; security.md 7, 30
test.skipIf(problem !== null)(
  'a list of domains reaches those names and ports through the proxy, and there is no other way out',
  { timeout: 240_000 },
  async () => {
    const environment = { DOMAINS: JSON.stringify(domains), HOSTS: hosts }
    const { answers, errors } = await attackWorld(attack, addresses, environment)
    const machines = ['93.184.215.7', '93.184.215.1', ...addresses]
    // Otherwise the test proves nothing: the host itself must reach what the command must not.
    for (const address of machines) expect(answers['host'], errors).toContain(`${address} reached`)
    expect(answers['host']).toContain('resolver reached')
    const refused = ['other', 'wild', 'usual', 'private', 'mixed', 'meta', 'own', 'loop']
    const closed = refused
      .map((name) => `${name}.test:8080`)
      .concat(
        machines.map((address) => `${address}:8080`),
        'good.test:22',
      )
    expect(answers['sandbox'], errors).toEqual([
      ...machines.map((address) => `${address} closed`),
      'resolver closed',
      "['lo'] 0",
      ...['good', 'a.wild'].flatMap((name) => [
        `plain ${name}.test:8080 reached`,
        `tunnel ${name}.test:8080 reached`,
      ]),
      ...closed.flatMap((to) => [`plain ${to} closed`, `tunnel ${to} closed`]),
    ])
    for (const why of [/other\.test is not listed/, /Port 22 of good\.test/, /is an address/]) {
      expect(answers['refused']).toContainEqual(expect.stringMatching(why))
    }
    expect(answers['refused']).toContainEqual(
      expect.stringMatching(/^mixed\.test leads to 10\.20\.30\.40, which is a private address/),
    )
    expect(answers['refused']).toContainEqual(expect.stringMatching(/^own\.test leads to 93\.184/))
  },
)
