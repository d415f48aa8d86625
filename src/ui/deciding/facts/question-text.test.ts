import { expect, test } from 'vitest'
import { isWholeInTitle } from './question-text.ts'

function question(text: string, more: { title?: string; warnings?: string[] } = {}) {
  const { title = `Ask: ${text}`, warnings = [] } = more
  const choices = ['README.md', 'CHANGES.md']
  const content = `${text}\n\n1. README.md\n2. CHANGES.md\n`
  const presentation = {
    type: 'text' as const,
    language: null,
    content,
    metadata: { choices },
    truncated: false,
    digest: 'sha256:0',
    totalLines: 4,
    totalBytes: content.length,
    warnings,
  }
  return { title, presentation }
}

test('the title and the choices contain all of a question of one line', () => {
  expect(isWholeInTitle(question('Which file?'))).toBe(true)
  const { title, presentation } = question('Which file?')
  const text = { ...presentation, content: 'Which file?\n', metadata: { choices: [] } }
  expect(isWholeInTitle({ title, presentation: text })).toBe(true)
})

test('a question with more lines, a cut title, a warning or bytes that are not shown has its own text', () => {
  const cut = `${'a'.repeat(199)}…`
  expect(isWholeInTitle(question('Which?\nAll?', { title: 'Ask: Which? All?' }))).toBe(false)
  // The first line is what a cut title looks like.
  expect(isWholeInTitle(question(`${cut}\nAnd more`, { title: `Ask: ${cut}` }))).toBe(false)
  expect(isWholeInTitle(question('Which?', { warnings: ['Line 1 has a mark.'] }))).toBe(false)
  const { title, presentation } = question('Which?')
  expect(isWholeInTitle({ title, presentation: { ...presentation, truncated: true } })).toBe(false)
})
