import { expect, test } from 'vitest'
import { shortTask, taskLine } from './task-notice.ts'

// Rules: security.md 20
test('a secret in a task is masked, even where the cut would go through it', () => {
  const secret = `ghp_${'a1'.repeat(18)}`
  expect(shortTask(`deploy with ${secret}`)).toMatch(/^deploy with \[GitHub token, 40 characters/)
  for (let before = 150; before < 210; before += 1) {
    expect(shortTask(`${'x'.repeat(before)} ${secret} to production`)).not.toContain('ghp_')
  }
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'
  const key = `-----BEGIN PRIVATE KEY-----\n${`${line}\n`.repeat(90)}-----END PRIVATE KEY-----`
  expect(shortTask(`use ${key}`)).not.toContain('MIIE')
})

test('a task of more than 200 characters is cut and counted, never within a character; a blank task is none', () => {
  expect(shortTask(' Write the notes\n')).toBe('Write the notes')
  expect(shortTask('😀'.repeat(200))).toBe('😀'.repeat(200))
  expect(shortTask('😀'.repeat(201))).toBe(`${'😀'.repeat(199)}… (2 more characters)`)
  expect(shortTask(' \n\t')).toBeNull()
})

test('the line of a task begins with the service’s own words, and each text of others is bounded', () => {
  const bounds: number[] = []
  const show = (text: string, maxCharacters: number): string => {
    bounds.push(maxCharacters)
    return `«${text}»`
  }
  const line = taskLine({ by: 'Ada', at: new Date('2026-11-22T10:00:59Z'), text: 'Go' }, show)
  expect(line).toBe('Task of «Ada», 2026-11-22 10:00 UTC: «Go»')
  expect(bounds).toEqual([100, 300])
})
