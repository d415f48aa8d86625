import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepPageAfterLink, takePageAfterLink } from './page-after-link.ts'

const storage = new Map<string, string>()
beforeEach(() => {
  storage.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const keep = (pathname: string, search = ''): void =>
  keepPageAfterLink({ pathname, search } as Location)

test('a mailed link leads once to the page on which it was requested, for as long as it works', () => {
  vi.useFakeTimers()
  keep('/requests/12', '?queue=platform')
  expect([takePageAfterLink(), takePageAfterLink()]).toEqual(['/requests/12?queue=platform', '/'])
  keep('/requests/12')
  vi.advanceTimersByTime(15 * 60_000)
  expect(takePageAfterLink()).toBe('/')
  keep('/sign-in')
  expect(takePageAfterLink()).toBe('/')
})

// Rules: security.md 21
test('a mailed link leads to no other host, whatever was kept', () => {
  keep('//evil.example/x')
  expect(takePageAfterLink()).toBe('/')
  for (const text of [
    'no JSON',
    'null',
    '{"path":7,"until":9e15}',
    '{"path":"/\\t/evil","until":9e15}',
  ]) {
    storage.set('countersign.page-after-link', text)
    expect(takePageAfterLink()).toBe('/')
    expect(storage.size).toBe(0)
  }
})
