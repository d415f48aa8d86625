import { expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { rowsOf } from '#test/harness/fixtures/rows.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Problem } from '#domain/problem.ts'
import type { Tool } from '#domain/tools/tool.ts'
import type { Approval } from '#domain/policy/verdict.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { requestContent } from '../requests/detail/request-content.ts'
import { judgeCall } from '../engine/judging/judge-call.ts'
import { openExternal } from './open-external.ts'

const marker = 'only-on-the-disk-of-the-service'
let callCount = 0

const desk = disposeAfterTests(await openAgentDesk())
const program = (await addKey(desk.database.db, desk.people.ada)).caller
await desk.write('notes/plan.md', `# Plan\n${marker}\n`)

const ask = (tool: string, input: JsonObject) =>
  openExternal(desk.api, program, {
    tool,
    input,
    worker: 'scribe',
    externalId: `call-${(callCount += 1)}`,
  })

const calls: readonly [string, JsonObject, string][] = [
  ['write_file', { path: 'notes/plan.md', content: 'theirs\n' }, 'theirs'],
  ['edit_file', { path: 'notes/plan.md', edits: [{ find: 'theirs', replace: 'ours' }] }, 'theirs'],
  [
    'edit_file',
    { path: 'notes/absent.md', edits: [{ find: 'theirs', replace: 'ours' }] },
    'theirs',
  ],
]

// Rules: product.md 46
test.each(calls)(
  'a call of %s from another host shows what it reports, and no file of the service’s host',
  async (tool, input, reported) => {
    const { requestId, state } = await ask(tool, input)
    expect(state).toBe('pending')
    const request = await getRequest(desk.api, desk.people.grace.caller, { request: requestId })
    expect(request.presentation.content).toContain(reported)
    expect(request.presentation.warnings.join()).toContain('what the program reports')
    expect(JSON.stringify(request)).not.toContain(marker)
    const content = await requestContent(desk.api, desk.people.grace.caller, { request: requestId })
    expect(content.bytes.toString()).toContain(reported)
    expect(content.bytes.toString()).not.toContain(marker)
    const { db } = desk.database
    const rows = await rowsOf(db, 'request_revision', { request_id: requestId }, 'facts', 'title')
    // The row has neither the hash of the file nor whether it exists.
    expect(rows).toMatchObject([{ facts: { bases: [] } }])
    expect(rows[0]?.title).not.toMatch(/^(Edit|Create)/)
  },
)

test('the existence of a file changes no answer: nobody learns about the service’s disk by asking', async () => {
  const there = await ask('read_file', { path: 'notes/plan.md' })
  const absent = await ask('read_file', { path: 'notes/absent.md' })
  expect([there.state, absent.state]).toEqual(['approved', 'approved'])
  const deleting = (path: string) =>
    ask('delete_file', { path }).then(
      () => 'opened',
      (error: { code?: string }) => error.code,
    )
  expect(await deleting('notes/plan.md')).toBe('policy_blocked')
  expect(await deleting('notes/absent.md')).toBe('policy_blocked')
})

// Rules: security.md 8, 26
test.each(['.countersign/run/dev-token', '.Countersign/run/host-proof', 'notes/.countersign/x.md'])(
  'the data folder does not exist for a program either, wherever it is: %s',
  async (path) => {
    const reading = ask('read_file', { path }).catch((error: Problem) => error.code)
    expect(await reading).toBe('invalid_request')
  },
)

// Rules: security.md 32
test('a tool of an MCP server of the program asks, though the worker’s own server has one of its name', async () => {
  const judged = await ask('mcp__wiki__search', { q: 'x' })
  expect(judged.state).toBe('pending')
  const request = await getRequest(desk.api, desk.people.grace.caller, {
    request: judged.requestId,
  })
  expect(request).toMatchObject({ risk: 'high', rule: { id: 'external:unknown' } })
})

test.each<[string, Approval, string]>([
  ['pre-approved', 'preApproved', 'pending'],
  ['asked about', 'ask', 'pending'],
  ['forbidden', { blocked: 'never' }, 'policy_blocked'],
])(
  'a tool of the worker’s own server that is %s pre-approves no tool of the program’s server',
  async (word, approval, expected) => {
    const registryOf: typeof desk.worker.registryOf = async (policy, worker) => {
      const own = await desk.worker.registryOf(policy, worker)
      const like = own.get('read_file')
      if (like === undefined) throw new Error('read_file is gone')
      const served: Tool = {
        ...like,
        name: 'mcp__wiki__search',
        parse: (input) => ({ ok: true, input: input as JsonObject }),
        accesses: () => [],
        approval: async () => approval,
      }
      return {
        get: (name) => (name === served.name ? served : own.get(name)),
        all: () => [...own.all(), served],
      }
    }
    const judgeRemotely: typeof desk.api.judgeRemotely = (question) =>
      judgeCall({ ...desk.worker, registryOf }, question, 'test')
    const opening = openExternal({ ...desk.api, judgeRemotely }, program, {
      tool: 'mcp__wiki__search',
      input: { q: word },
      worker: 'scribe',
      externalId: `mcp-${word}`,
    })
    const answer = await opening.then(
      ({ state }) => state,
      (error: Problem) => error.code,
    )
    expect(answer).toBe(expected)
  },
)
