import { expect, test } from 'vitest'
import { jsonText } from './json-text.ts'

// Rules: security.md 17
test('JSON for a terminal controls nothing and hides nothing, and a program reads the same value', () => {
  const hostile = {
    title: 'ok\u009b2K\u009d8;;https://evil.example\u009c\u007f \u001b]0;x\u0007',
    'key\u202e\u2066': ['a\u200bb', '\u{e0041}\ufeff', '\u2028', '\u00a0', '\ud800'],
    plain: 'größer – 漢字 😀\n',
  }
  for (const indent of [undefined, 2]) {
    const text = jsonText(hostile, indent)
    expect(JSON.parse(text)).toEqual(hostile)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u00a0]/u)
    expect(text).toContain('größer – 漢字 😀')
  }
})
