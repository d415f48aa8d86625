import { afterEach, expect, test, vi } from 'vitest'
import { readSignInLink } from './sign-in-link.ts'

afterEach(() => vi.unstubAllGlobals())

// Rules: security.md 21
test.each([
  ['/requests/12?turn=2', '/requests/12?turn=2'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after a sign-in at the provider, %j leads to %s', (path, page) => {
  const behind = new URLSearchParams({ provider: 'token', return: path })
  vi.stubGlobal('window', { location: { hash: `#${behind.toString()}` } })
  expect(readSignInLink()?.returnTo).toBe(page)
})
