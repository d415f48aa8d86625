import { expect, test } from 'vitest'
import { definitionWarnings } from './definition-text.ts'

// Rules: security.md 27
test('a long run of blanks in a server’s description of a tool takes no noticeable time', () => {
  const definition = {
    name: 'note',
    title: null,
    description: `${' '.repeat(200_000)}x\u202e`,
    annotations: {},
    inputSchema: {},
    outputSchema: null,
  }
  expect(definitionWarnings(definition).join('\n')).toContain('U+202E')
})
