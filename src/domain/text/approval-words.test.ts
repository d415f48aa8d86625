import { expect, test } from 'vitest'
import { approvalSentence } from './approval-words.ts'

const once = { by: [{ name: 'Ada' }], scope: 'once', number: 12, remembered: false } as const

// Rules: product.md 10, 30
test('the words name who approved a call and for how long; for a question who answered it, never who approved', () => {
  expect(approvalSentence('exec', once)).toBe('approved by Ada')
  expect(approvalSentence('exec', { ...once, scope: 'run' })).toBe('approved by Ada, for the run')
  expect(approvalSentence('exec', { ...once, scope: 'path', remembered: true })).toBe(
    "by Ada's approval of #12, for the file",
  )
  expect(approvalSentence('ask_person', once)).toBe('answered by Ada')
})
