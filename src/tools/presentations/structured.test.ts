import { expect, test } from 'vitest'
import { presentStructured } from './structured.ts'

// Rules: security.md 17
test('arguments with hidden and look-alike characters are shown with a warning that counts them', () => {
  const { content, warnings } = presentStructured({ to: 'a\u202eb', name: 'p\u0430y' }, {}, [
    'First.',
  ])
  expect(content).toContain('a\u202eb')
  expect(warnings).toEqual([
    'First.',
    expect.stringMatching(/^Hidden characters: 1 \(U\+202E .* × 1\)\.$/),
    expect.stringMatching(/^Look-alike characters: 1 /),
  ])
  expect(presentStructured({ to: 'ab' }, {}, []).warnings).toEqual([])
})
