import { expect, test } from 'vitest'
import type { GatewayCallState } from '#services/gateway/read-call-state.ts'
import { gatewayAnswer } from './gateway-answer.ts'
import { taskOf } from './task-of-call.ts'

const url = 'https://approvals.example.com'
const at = new Date('2026-11-26T12:00:00Z')
const approved: GatewayCallState = {
  requestId: '0199a1b2-c3d4-7e5f-8a6b-1c2d3e4f5a6b',
  number: '7',
  taskId: 'a-task',
  server: 'files',
  tool: 'note',
  verdict: 'ask',
  state: 'approved',
  queue: 'gated',
  team: 'platform',
  createdAt: at,
  changedAt: at,
  expiresAt: new Date(at.getTime() + 60_000),
  cancelReason: null,
  deciders: ['Linus'],
  reason: null,
  permit: null,
  wasEdited: false,
  refusal: null,
  refusalReason: null,
  hasStarted: false,
  byTask: true,
  isWanted: false,
  outcome: null,
  check: null,
}

test('a call that failed before it began is a failed task with an error and without a result', () => {
  const away = 'the server cannot be started'
  const task = taskOf({ ...approved, refusal: 'failed', refusalReason: away }, url)
  expect(task).toMatchObject({ status: 'failed', error: { code: -32603 } })
  expect(task.error?.message).toBe(`Not run: ${away}`)
})

test('a call that may have begun is never a failed task: its outcome is unknown', () => {
  const used = { ...approved, refusal: 'failed', hasStarted: true, refusalReason: 'used' } as const
  expect(taskOf(used, url)).toMatchObject({ status: 'completed' })
  expect(taskOf(used, url).error).toBeUndefined()
  const answer = gatewayAnswer(used, url, null)
  expect(answer).toMatchObject({
    isError: true,
    _meta: { 'io.modelcontextprotocol/tool-approval-disposition': 'outcome-unknown' },
  })
  expect(JSON.stringify(answer)).not.toMatch(/Nothing ran|not run/)
})

test('a call that policy forbids after its approval is a completed task whose denial says that nothing ran', () => {
  const blocked = { ...approved, refusal: 'blocked', refusalReason: 'nobody wipes' } as const
  expect(taskOf(blocked, url)).toMatchObject({ status: 'completed' })
  expect(JSON.stringify(gatewayAnswer(blocked, url, null))).toContain('Nothing ran.')
})

test.each(['changed', 'failed'] as const)(
  'a call that began and did not reach its server was not run, whatever was stored as its answer: %s',
  (refusal) => {
    const end = { ...approved, refusal, hasStarted: true, outcome: 'failed' } as const
    const result = { content: [{ type: 'text', text: 'was not carried out' }], isError: true }
    const answer = gatewayAnswer(end, url, result)
    expect(answer).toMatchObject({
      isError: true,
      _meta: { 'io.modelcontextprotocol/tool-approval-disposition': 'denied-not-executed' },
    })
    expect(JSON.stringify(answer)).toContain('NOT RUN: this call did not reach the server')
    expect(JSON.stringify(answer)).not.toMatch(/was called|words of the server/)
    const refusalReason = 'note was not carried out: the server does not answer.'
    const text =
      'NOT RUN: note was not carried out: the server does not answer (request #7). It can be called again. Nothing ran.'
    expect(gatewayAnswer({ ...end, refusalReason }, url, result).content).toEqual([
      { type: 'text', text },
    ])
  },
)

test.each([{ isWanted: true }, { byTask: true }, { hasStarted: true }])(
  'an approved call that is carried out, for another caller or this one, is waited for, not called again: %o',
  (how) => {
    const [content] = gatewayAnswer({ ...approved, byTask: false, ...how }, url, null).content
    expect(content).toMatchObject({ text: expect.stringMatching(/^RUNNING.*countersign_wait/) })
    expect(content).toMatchObject({ text: expect.not.stringContaining('again') })
  },
)
