import { mkdir, symlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { getRequest } from '#services/requests/detail/get-request.ts'
import { startRun } from '#services/runs/starting/start-run.ts'
import { admitRun } from '#services/engine/lifecycle/admit-run.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'

let made = 0

const model = 'model: openai-compatible:scripted-by-the-test'
const creator = `---
name: scribe
${model}
tools: { create_worker: { approval: preApproved }, ask_person: {} }
workers: [reader]
zones:
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { write: ask, delete: blocked } }
---
Write.
`
const reader = `---\nname: reader\n${model}\n---\nRead.\n`

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({
  'countersign.yaml': deskConfig,
  'workers/scribe.md': creator,
  'workers/reader.md': reader,
})

beforeEach(() => {
  desk.steps.length = 0
  made += 1
})

function definition(front: string, name = `made-${made}`): string {
  return `---\nname: ${name}\n${model}\n${front}\n---\nDo a part of it.\n`
}

async function requestFor(text: string) {
  desk.say({ calls: [{ tool: 'create_worker', input: { definition: text } }] })
  const { runId, turn } = await desk.startTurn()
  const [call] = await desk.calls(runId, 1)
  if (call === undefined) expect.fail('there is no call')
  return { runId, turn, call }
}

const narrow = `zones: [{ name: mine, root: ./notes/mine, mode: rw, suffixes: [.md], approval: { delete: blocked } }]`

/** What the API does when it watches the folder: activates what is there, once it is there. */
async function activateOnceWritten(text: string): Promise<void> {
  const path = `workers/made-${made}.md`
  await waitUntil(() => existsSync(join(desk.root, path)))
  await desk.activate({ [path]: text })
}

// Rules: product.md 24
describe('a worker that an agent writes', () => {
  test('is shown whole, at high risk, whatever the worker file says, and no mode approves it', async () => {
    const text = definition(narrow)
    const { call } = await requestFor(text)
    const request = await getRequest(desk.api, desk.people.grace.caller, {
      request: call.requestId,
    })
    expect(request).toMatchObject({ risk: 'high', state: 'pending', allowedScopes: ['once'] })
    expect(request.effect).toBe(`Create the worker made-${made}`)
    expect(request.presentation).toMatchObject({ type: 'file_content', content: text })
    expect(request.presentation.metadata['path']).toBe(`workers/made-${made}.md`)
    desk.say({ calls: [{ tool: 'create_worker', input: { definition: text } }] })
    const asking = { worker: 'scribe', input: 'Go', mode: 'approve_all' } as const
    const { id } = await startRun(desk.api, desk.people.olga.caller, asking)
    await desk.turn(id, 1)
    expect((await desk.calls(id, 1))[0]).toMatchObject({ verdict: 'ask', result: null })
  })

  test('is written and in force once it is approved and the API has activated it', async () => {
    const text = definition(narrow)
    const { runId, turn, call } = await requestFor(text)
    const { presentation } = await getRequest(desk.api, desk.people.grace.caller, {
      request: call.requestId,
    })
    const how = { reason: 'it only writes its own notes', seen: presentation.digest }
    await desk.decide(desk.people.grace, call.requestId, how)
    await Promise.all([desk.perform(turn), activateOnceWritten(text)])
    expect(await desk.read(`workers/made-${made}.md`)).toBe(text)
    const [done] = await desk.calls(runId, 1)
    expect([done?.result, done?.text]).toEqual(['output', expect.stringContaining('in force')])
    expect(await desk.start({ worker: `made-${made}` })).not.toBe('')
  })

  test('waits for `policy activate` where nothing is activated automatically, and says so', async () => {
    const { runId, turn, call } = await requestFor(definition(narrow))
    const { presentation } = await getRequest(desk.api, desk.people.grace.caller, {
      request: call.requestId,
    })
    const how = { reason: 'fine', seen: presentation.digest }
    await desk.decide(desk.people.grace, call.requestId, how)
    await desk.perform(turn)
    expect((await desk.calls(runId, 1))[0]?.text).toContain('countersign policy activate')
    expect((await desk.api.policies.inForce()).workers.has(`made-${made}`)).toBe(false)
  })
})

// Rules: product.md 24
describe('the name of a worker that an agent writes', () => {
  test.each<[string, (name: string) => string]>([
    ['in double quotes', (name) => `---\nname: "${name}"\n${model}\n---\nDo.\n`],
    ['in single quotes', (name) => `---\nname: '${name}'\n${model}\n---\nDo.\n`],
    ['with a comment and an anchor', (name) => `---\nname: &own ${name} # mine\n${model}\n---\n`],
    ['by an alias', (name) => `---\ndescription: &own ${name}\nname: *own\n${model}\n---\n`],
    ['folded', (name) => `---\nname: >-\n  ${name}\n${model}\n---\n`],
    ['indented', (name) => `---\n  name: ${name}\n  ${model}\n---\n`],
    ['in braces', (name) => `---\n{ name: ${name}, ${model.replace(/ (.*)$/, ' "$1"')} }\n---\n`],
    ['behind a quoted key', (name) => `---\n"name": ${name}\n${model}\n---\n`],
    [
      'with the line ends and the mark of Windows',
      (name) => `\uFEFF---\r\nname: "${name}"\r\n${model}\r\n---\r\nDo.\r\n`,
    ],
  ])('is read as YAML has it: %s', async (_title, text) => {
    const { call } = await requestFor(text(`made-${made}`))
    expect(call).toMatchObject({ verdict: 'ask', result: null })
    const request = await getRequest(desk.api, desk.people.grace.caller, {
      request: call.requestId,
    })
    expect(request.presentation.metadata['path']).toBe(`workers/made-${made}.md`)
  })

  test.each<[string, string, RegExp]>([
    ['twice', 'name: one\nname: two', /definition:3: not valid YAML/],
    ['a number', 'name: 7', /line `name: NAME`/],
    ['with a line end', 'name: |\n  one', /line `name: NAME`/],
    ['in quotes, and it escapes', 'name: "../out"', /line `name: NAME`/],
    ['in quotes, and it has a control character', 'name: "a\\u0000b"', /line `name: NAME`/],
    ['of another mapping', 'zones: { name: one }', /line `name: NAME`/],
  ])('is refused: %s', async (_title, line, reason) => {
    const { call } = await requestFor(`---\n${line}\n${model}\n---\nDo.\n`)
    expect([call.result, call.requestId]).toEqual(['error', ''])
    expect(call.text).toMatch(reason)
  })

  test('a sandbox is required of workers that run commands or programs, as it is of their writer, and of no others', async () => {
    await desk.activate({
      'workers/scribe.md': creator.replace(
        'zones:',
        'sandbox: { required: true }\nshell: { default: ask }\nzones:',
      ),
    })
    const plain = await requestFor(definition(narrow))
    const running = await requestFor(definition('shell: { default: ask }', `running-${made}`))
    await desk.activate({ 'workers/scribe.md': creator })
    expect(plain.call).toMatchObject({ verdict: 'ask', result: null })
    expect(running.call.text).toMatch(/commands without a sandbox/)
  })
})

// Rules: product.md 43
describe('a worker that a run has written', () => {
  const free = creator.replace('ask_person: {}', 'call_worker: { approval: preApproved }')
  const toMade = () => ({ tool: 'call_worker', input: { worker: `made-${made}`, input: 'Go.' } })

  /** A run that has written a worker, which is in force. */
  async function written(): Promise<string> {
    await desk.activate({ 'workers/scribe.md': free })
    const text = definition(narrow)
    const { runId, turn, call } = await requestFor(text)
    const { presentation } = await getRequest(desk.api, desk.people.grace.caller, {
      request: call.requestId,
    })
    const how = { reason: 'fine', seen: presentation.digest }
    await desk.decide(desk.people.grace, call.requestId, how)
    await Promise.all([desk.perform(turn), activateOnceWritten(text)])
    return runId
  }

  async function calls(runId: string, turn: number) {
    const call = await proposeCall(desk, runId, turn, toMade())
    if (call === undefined) expect.fail('there is no call')
    return call
  }

  test('is called by that run, and every call asks whatever the worker file says; the API lets it start', async () => {
    const runId = await written()
    const call = await calls(runId, 2)
    expect(call).toMatchObject({ verdict: 'ask', result: null })
    await desk.decide(desk.people.grace, call.requestId)
    const outcome = await desk.execute(call.id)
    if (outcome.kind !== 'wait') expect.fail(`the call is ${outcome.kind}`)
    const child = outcome.requestIds[0] ?? ''
    expect(await admitRun(desk.api, { runId: child })).toBe(true)
  })

  test('is called by no other run of the same worker', async () => {
    await written()
    const other = await desk.start()
    const call = await proposeCall(desk, other, 1, toMade())
    expect([call.result, call.requestId]).toEqual(['error', ''])
    expect(call.text).toMatch(/may not call the worker "made-\d+"; it may call: reader/)
  })

  test('is not called once its file has changed', async () => {
    const runId = await written()
    const other = definition(narrow).replace('Do a part', 'Do all')
    await desk.activate({ [`workers/made-${made}.md`]: other })
    expect(await calls(runId, 2)).toMatchObject({ result: 'error', requestId: '' })
  })

  test('is not called because of rows that were assigned to the run by SQL', async () => {
    const runId = await written()
    desk.say({})
    const other = await desk.start()
    await setRows(desk.database.db, 'run', { id: runId }, { root_run_id: other })
    desk.steps.length = 0
    expect(await calls(other, 1)).toMatchObject({ result: 'error', requestId: '' })
  })
})

// Rules: product.md 24
describe('a new worker that is refused before anybody is asked:', () => {
  test.each<[string, () => string, RegExp]>([
    ['a name that exists', () => definition('', 'reader'), /already/],
    ['a name that exists in other case', () => definition('', 'Reader'), /already/],
    ['a name that escapes', () => definition('', '../../out'), /line `name: NAME`/],
    ['a name that is a path', () => definition('', 'sub/worker'), /line `name: NAME`/],
    ['no front matter', () => 'Do it.', /line `name: NAME`/],
    ['an unknown key, with its line', () => definition('zone: []'), /workers\/made-\d+\.md:4: /],
    ['an unknown worker', () => definition('workers: [nobody]'), /nobody/],
    [
      'another folder',
      () => definition('zones: [{ name: a, root: ., mode: ro }]'),
      /workspace root/,
    ],
    [
      'other suffixes',
      () => definition('zones: [{ name: a, root: ./notes, mode: ro }]'),
      /suffixes/,
    ],
    [
      'what is blocked',
      () => definition(narrow.replace(', approval: { delete: blocked }', '')),
      /delete in/,
    ],
    ['commands', () => definition('shell: { default: ask }'), /commands/],
    ['the network', () => definition('sandbox: { network: allow }'), /network/],
    ['a domain', () => definition('sandbox: { network: [a.com] }'), /network: a\.com/],
    ['a tool', () => definition('tools: { deploy: {} }'), /the tool deploy/],
    ['calling a worker', () => definition('workers: [scribe]'), /calling the worker scribe/],
    [
      'an MCP server',
      () => definition('mcpServers: { f: { command: npx, args: [-y, x@1.0.0] } }'),
      /MCP server f/,
    ],
  ])('%s', async (_title, text, reason) => {
    const { call } = await requestFor(text())
    expect([call.result, call.requestId]).toEqual(['error', ''])
    expect(call.text).toMatch(reason)
  })

  test('an explanation refuses it too, with the same sentence, and asks for a valid one', async () => {
    const explain = async (text: string) => {
      const call = { worker: 'scribe', tool: 'create_worker', input: { definition: text } }
      return (await desk.api.judgeRemotely({ ...call, present: false })).judgement
    }
    const { call } = await requestFor(definition('workers: [nobody]'))
    expect(await explain(definition('workers: [nobody]'))).toMatchObject({
      verdict: 'error',
      rule: null,
      routing: null,
      reason: call.text,
    })
    expect(await explain(definition(narrow))).toMatchObject({ verdict: 'ask' })
  })

  test('a name whose file exists without being in force, and a folder that is a link', async () => {
    await desk.write(`workers/made-${made}.md`, 'mine\n')
    const { call } = await requestFor(definition(narrow))
    expect([call.result, await desk.read(`workers/made-${made}.md`)]).toEqual(['error', 'mine\n'])
    await mkdir(join(desk.root, 'elsewhere'), { recursive: true })
    await symlink('elsewhere', join(desk.root, 'workers', `link-${made}`))
    const linked = await requestFor(definition('', `link-${made}/x`))
    expect(linked.call.result).toBe('error')
  })
})
