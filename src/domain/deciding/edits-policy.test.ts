import { expect, test } from 'vitest'
import { editsOf } from './edits-policy.ts'

// Rules: product.md 11
test('an editor decides their own change only where the queue permits it, never at high risk or of a command', () => {
  expect(editsOf('approve', { tool: 'write_file', risk: 'medium' })).toBe('approve')
  expect(editsOf('approve', { tool: 'write_file', risk: 'high' })).toBe('revise')
  for (const tool of ['exec', 'shell']) {
    expect(editsOf('approve', { tool, risk: 'low' })).toBe('revise')
  }
  for (const edits of ['revise', 'off'] as const) {
    expect(editsOf(edits, { tool: 'write_file', risk: 'low' })).toBe(edits)
  }
})
