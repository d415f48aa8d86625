import { expect, test } from 'vitest'
import { present, workspaceWith } from '../workspace.fixture.ts'
import { askPerson } from './ask-person.ts'

test('a question is shown as its own bytes, with its choices in order and hidden characters counted', async () => {
  using made = await workspaceWith({})
  const input = { question: 'Ship\u202eit?\nNow?', choices: ['yes', 'no'] }
  const call = await present(askPerson, made.workspace, input)
  expect(call.presentation.content).toBe('Ship\u202eit?\nNow?\n\n1. yes\n2. no\n')
  expect(call.presentation.metadata).toEqual({ choices: ['yes', 'no'] })
  expect(call.presentation.warnings.join()).toContain('Hidden characters: 1')
  expect(call.title).toBe('Ask: Ship\u202eit? Now?')
  expect(Buffer.from(call.content).toString()).toBe(call.presentation.content)
})

test('a question that is executed is refused: it can only be answered', async () => {
  using made = await workspaceWith({})
  const context = {
    workspace: made.workspace,
    signal: new AbortController().signal,
    idempotencyKey: 'call:1',
    facts: { toolHash: askPerson.definitionHash, bases: [] },
    printed: null,
  }
  const result = await askPerson.execute({ question: 'Which?' }, context)
  expect(result.type).toBe('error')
})
