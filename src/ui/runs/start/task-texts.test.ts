import { expect, test } from 'vitest'
import { runInput } from './task-texts.ts'

test('a form that nobody touched sends what its fields show', () => {
  const properties = { to: { enum: ['staging', 'production'] }, force: { type: 'boolean' } }
  const input = { type: 'object', required: ['to', 'force'], properties }
  const sent = runInput({ input }, { task: '', values: { to: 'nowhere' } })
  expect(sent).toEqual({ to: 'staging', force: false })
})
