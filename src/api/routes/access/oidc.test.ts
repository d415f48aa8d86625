import { expect, test } from 'vitest'
import { localPath } from './oidc.ts'

const home = 'https://approvals.example.com'

// Rules: security.md 21
test('a sign-in continues at a page of this service, and at no other address', () => {
  for (const ours of ['/', '/requests/12', '/?queue=platform&q=a%20b', '/runs/x?turn=2']) {
    expect(localPath(ours, home)).toBe(ours)
  }
  const others = [
    undefined,
    '',
    'requests',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    '/v1/auth/logout',
    '/x/../v1/auth/logout',
    '/%2e%2e/../\\evil',
    '/ünsafe',
    '/.//evil.example',
    '/requests/..//evil.example',
    '/%2e//evil.example',
    '/%2E%2e///evil.example',
  ]
  for (const other of others) expect(localPath(other, home)).toBe('/')
})
