import { expect, test } from 'vitest'
import { HookInputError, parseInput } from './hook-event.ts'

function refusalOf(text: string): unknown {
  try {
    return parseInput(text)
  } catch (error) {
    return error
  }
}

test('an input that is no JSON is refused in words, with the error of the parser as the cause', () => {
  const refusal = refusalOf('{"hook_event_name":')
  expect(refusal).toBeInstanceOf(HookInputError)
  expect(refusal).toMatchObject({
    message: 'The input of the hook is not JSON',
    cause: expect.any(SyntaxError),
  })
})

test.each(['null', '7', '["PreToolUse"]'])('%s is refused as no object', (text) => {
  expect(refusalOf(text)).toMatchObject({ message: 'The input of the hook is not a JSON object' })
})
