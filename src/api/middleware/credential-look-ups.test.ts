import { expect, test } from 'vitest'
import { CredentialLookUps } from './credential-look-ups.ts'

// Rules: security.md 21
test('an unknown cookie beyond its address’s share is refused before the database is asked', () => {
  let now = 0
  const lookUps = new CredentialLookUps(2, 'session cookies', () => now)
  lookUps.admit('a', 'live')
  // The calls of a page that opens are one cookie.
  for (let call = 0; call < 20; call += 1) lookUps.admit('a', 'live')
  lookUps.record('a', 'live', true)
  now += 1000
  for (const cookie of ['x', 'x']) {
    lookUps.admit('a', cookie)
    lookUps.record('a', cookie, false)
  }
  expect(() => lookUps.admit('a', 'x')).toThrow(/unknown session cookies/)
  expect(() => lookUps.admit('a', 'y')).toThrow(/unknown session cookies/)
  // A colleague at the same address is not refused, nor is another address.
  lookUps.admit('a', 'live')
  lookUps.admit('b', 'y')
  now += 1000
  lookUps.admit('a', 'y')
})

test('an unknown key that is repeated takes one place of its second, and a valid key the next', () => {
  let now = 0
  const lookUps = new CredentialLookUps(2, 'keys', () => now)
  for (let second = 0; second < 3; second += 1) {
    lookUps.admit('a', 'old')
    lookUps.record('a', 'old', false)
    for (let call = 0; call < 20; call += 1) {
      expect(() => lookUps.admit('a', 'old')).toThrow(/failed keys/)
    }
    lookUps.admit('a', `valid ${second}`)
    lookUps.record('a', `valid ${second}`, true)
    expect(() => lookUps.admit('a', 'new')).toThrow(/unknown keys/)
    now += 1000
  }
})

test('calls with one unknown key count each while its first look-up has no result', () => {
  const lookUps = new CredentialLookUps(2, 'keys', () => 0)
  lookUps.admit('a', 'x')
  lookUps.admit('a', 'x')
  expect(() => lookUps.admit('a', 'x')).toThrow(/unknown keys/)
})

test('a session that has ended counts as unknown again', () => {
  const lookUps = new CredentialLookUps(1, 'session cookies', () => 0)
  for (const isLive of [true, false]) lookUps.record('a', 'ended', isLive)
  lookUps.admit('a', 'ended')
  lookUps.record('a', 'ended', false)
  expect(() => lookUps.admit('a', 'ended')).toThrow(/unknown session cookies/)
})
