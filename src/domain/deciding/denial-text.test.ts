import { expect, test } from 'vitest'
import { denialForPeople } from './denial-text.ts'

test('people read a denial as a sentence, without the word of the protocol', () => {
  expect(denialForPeople('tool-output-denied: a person denied this call of shell.')).toBe(
    'A person denied this call of shell.',
  )
  expect(denialForPeople('Said “tool-output-denied: no”')).toBe('Said “tool-output-denied: no”')
})
