import { describe, expect, test } from 'vitest'
import { errorText } from './error-text.ts'

// Rules: security.md 25
describe('the text of an error', () => {
  test('is its message where the network, Postgres or Temporal says it', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    expect(errorText(refused)).toBe('connect ECONNREFUSED 127.0.0.1:5432')
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' })
    expect(errorText(deadlock)).toBe('deadlock detected')
    const grpc = Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4 })
    expect(errorText(grpc)).toBe('4 DEADLINE_EXCEEDED')
  })

  test('is only its kind where a message may quote contents', () => {
    const words = 'the words of a person'
    const noFile = Object.assign(new Error(`ENOENT: open '${words}'`), {
      code: 'ENOENT',
      syscall: 'open',
    })
    const value = Object.assign(new Error(`invalid input syntax: "${words}"`), { code: '22P02' })
    for (const error of [noFile, value, new SyntaxError(`Unexpected token in "${words}"`), words]) {
      expect(errorText(error)).not.toContain(words)
    }
    expect(errorText(noFile)).toBe('Error (ENOENT)')
    expect(errorText(new SyntaxError(words))).toBe('SyntaxError')
  })
})
