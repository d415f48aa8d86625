import { expect, test } from 'vitest'
import { permitsHost, coversNetwork, isDomainEntry } from './network-access.ts'

// Rules: workers-and-policy.md, shell rules
test('an entry is a domain name, with all names below it or with one port; no notation of an address is one', () => {
  for (const entry of ['example.com', '*.example.com', 'a-b.example.co:8443', 'xn--bcher-kva.de']) {
    expect(isDomainEntry(entry), entry).toBe(true)
  }
  const none = ['', 'localhost', '*', '*.com', 'a.*.com', '127.0.0.1', '127.1', '0x7f.1', '[::1]']
  const more = ['https://a.com', 'a.com/', 'a.com:0', 'a.com:65536', 'A.com', 'a..com', 'a.com.']
  for (const entry of [...none, ...more, 'bücher.de', 'a.com\n', `${'a'.repeat(64)}.com`]) {
    expect(isDomainEntry(entry), entry).toBe(false)
  }
})

test('a name is permitted with its own ports, and a similar name is not', () => {
  const entries = ['pypi.org', '*.pythonhosted.org', 'registry.example:8443']
  expect(permitsHost(entries, 'pypi.org', 443)).toBe('yes')
  expect(permitsHost(entries, 'pypi.org', 80)).toBe('yes')
  expect(permitsHost(entries, 'pypi.org', 22)).toBe('port')
  expect(permitsHost(entries, 'files.pythonhosted.org', 443)).toBe('yes')
  expect(permitsHost(entries, 'registry.example', 8443)).toBe('yes')
  expect(permitsHost(entries, 'registry.example', 443)).toBe('port')
  for (const host of ['pythonhosted.org', 'xpypi.org', 'pypi.org.evil.com', 'a.pypi.org', '']) {
    expect(permitsHost(entries, host, 443), host).toBe('no')
  }
})

// Rules: product.md 24
test('a worker’s list covers every narrower list, and no wider one', () => {
  expect(
    coversNetwork(['*.a.com', 'b.com'], ['x.a.com', '*.y.a.com', '*.a.com', 'b.com:443']),
  ).toBe(true)
  expect(coversNetwork('allow', ['a.com'])).toBe(true)
  for (const [outer, inner] of [
    ['none', ['a.com']],
    [['a.com'], 'allow'],
    [['a.com'], ['*.a.com']],
    [['*.a.com'], ['a.com']],
    [['a.com'], ['a.com:22']],
    [['a.com:443'], ['a.com']],
  ] as const) {
    expect(coversNetwork(outer, inner), JSON.stringify([outer, inner])).toBe(false)
  }
})
