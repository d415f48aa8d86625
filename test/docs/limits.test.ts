import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limitSettings } from '#domain/limit-settings.ts'

test('every bound is documented with its usual value and its range', () => {
  const page = readFileSync('docs/security.md', 'utf8')
  const bounds = page.slice(page.indexOf('## Bounds'))
  for (const [name, { usual, min, max }] of Object.entries(limitSettings)) {
    const row = bounds.split('\n').find((line) => line.includes(`\`${name}\``)) ?? ''
    for (const value of [usual, min, max]) expect(row, name).toContain(String(value))
  }
})
