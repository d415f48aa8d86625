import { expect, test } from 'vitest'
import { permitStates } from '#domain/requests/request.ts'
import { canChange } from './can-change.ts'

test('an approved call that has not begun can still be carried out while its permit is usable, and not after', () => {
  const approved = { state: 'approved', kind: 'tool_call', batch: null } as const
  const execution = { state: 'not_started' } as const
  const open = permitStates.filter((permit) => canChange({ ...approved, execution, permit }))
  expect(open).toEqual(['live', 'consumed'])
  expect(canChange({ ...approved, execution, permit: null })).toBe(false)
  expect(canChange({ ...approved, execution: { state: 'started' }, permit: 'lapsed' })).toBe(true)
})
