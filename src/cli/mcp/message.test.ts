import { expect, test } from 'vitest'
import { cancelledId } from './message.ts'

const cancel = (requestId: unknown) =>
  cancelledId({ method: 'notifications/cancelled', params: { requestId } })

test('a cancellation names a request by its id', () => {
  expect(cancel('a')).toBe('"a"')
  expect(cancel(7)).toBe('7')
})

test('a cancellation of what is no id cancels nothing, however deep it is nested', () => {
  expect(cancel(undefined)).toBeNull()
  expect(cancel({})).toBeNull()
  expect(cancel(JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toBeNull()
})
