import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { decideHook, reportHook } from '#cli/hook/answer-hook.ts'
import { WaitingCalls } from '#cli/hook/waiting/waiting-calls.ts'
import { askPermission } from '#cli/mcp/ask-permission.ts'
import { agents, type AgentName } from '#domain/hooks/agents.ts'
import type { HookEvent } from '#domain/hooks/hook-event.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { disposeAfterTests } from '../../harness/dispose-after-tests.ts'
import { newFolder } from '../../harness/new-folder.ts'
import { createProgram, type ProgramClient } from '../program.ts'
import { createTestApi, type Reply } from '../test-api.ts'
import { decideAsShown, requestNamed } from './as-shown.ts'
import { openBreakableWay } from './breakable-way.ts'
import { waitUntil } from '../../harness/wait-until.ts'

const api = disposeAfterTests(await createTestApi({ events: 'live' }))
const grace = await api.signIn(api.people.grace)
const ada = await createProgram(api, await api.signIn(api.people.ada), ['requests:write'])
const other = await createProgram(api, await api.signIn(api.people.olga))

let calls = 0
const session = 'session-1'
const use = (): string => `toolu_${++calls}`
const event = (more: Record<string, unknown> = {}) => ({
  session_id: session,
  transcript_path: '/home/ada/.claude/projects/shop/1.jsonl',
  cwd: '/srv/shop',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: `npm publish --tag t${calls}` },
  tool_use_id: use(),
  ...more,
})
const path = '/v1/hooks/claude-code'
const send = (
  body: unknown,
  { by = ada, root, wait = 60 }: { by?: ProgramClient; root?: string; wait?: number } = {},
): Promise<Reply> =>
  api.ask(`${path}?wait=${wait}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by.key}`,
      ...(root === undefined ? {} : { 'countersign-root': root }),
    },
    body,
  })
const outputOf = ({ body, status }: Reply) => {
  expect(status).toBe(200)
  return body.hookSpecificOutput ?? {}
}
const reasonOf = (reply: Reply): string => outputOf(reply).permissionDecisionReason
/** The request that waits under this name, as Grace sees it. */
const requestOf = (externalId: string): Promise<Reply['body']> =>
  requestNamed(api, grace, externalId)
const nameOf = (one: { session_id: string; tool_use_id: string }): string =>
  `claude-code:${one.session_id}:${one.tool_use_id}`
const decide = (request: Reply['body'], decision: string): Promise<Reply> =>
  decideAsShown(grace, request, decision, 'not on a Friday')
const linus = await api.signIn(api.people.linus)
async function revise({ id, digest, revision }: Reply['body'], input: object): Promise<void> {
  const { status } = await linus.post(`/v1/requests/${id}/revisions`, { input, digest, revision })
  expect(status).toBe(200)
}
const countOf = async (): Promise<number> => {
  const { n } = await api.database.db
    .selectFrom('external_request')
    .select((builder) => builder.fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}
const after = (one: object, name = 'PostToolUse') => ({
  ...one,
  hook_event_name: name,
  tool_response: { stdout: '' },
})
/** From now on the ledger takes no permit, for longer than a call waits for it. */
function refusePermits(): void {
  const { ledger } = api.service.ctx
  const first = ledger.first.bind(ledger)
  const late = performance.now() + 61_000
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(ledger, 'first').mockImplementation(async (key, id) => {
    if (key.kind !== 'permit') return first(key, id)
    vi.spyOn(performance, 'now').mockReturnValue(late)
    throw new Error('ENOSPC: no space left on device')
  })
}
const yes = expect.objectContaining({ permissionDecision: 'allow' })
const no = expect.objectContaining({ permissionDecision: 'deny' })

describe("Claude Code's HTTP hook", () => {
  test('a call waits for its people, is handed over once, and its outcome is what the agent reports', async () => {
    const one = event()
    const answer = send(one, { root: '/srv/shop' })
    const request = await requestOf(nameOf(one))
    expect(request).toMatchObject({
      tool: 'shell',
      risk: 'high',
      state: 'pending',
      external: {
        origin: {
          program: 'Claude Code',
          folder: '/srv/shop',
          host: 'not reported',
          proved: false,
        },
        metadata: { program: 'Claude Code', tool: 'Bash', session: session },
      },
    })
    expect((await decide(request, 'approve')).status).toBe(200)
    expect(outputOf(await answer)).toEqual(yes)
    const handed = await requestOf(nameOf(one))
    expect(handed.external).toMatchObject({ consumed: { by: expect.anything() }, outcome: null })
    // The same event again is not a second approval.
    expect(reasonOf(await send(one, { root: '/srv/shop' }))).toContain('has taken its permit')
    expect((await send(after(one), { root: '/srv/shop' })).body).toEqual({})
    expect((await requestOf(nameOf(one))).external.outcome).toMatchObject({ state: 'succeeded' })
    // Nor do later reports change what was said.
    expect((await send(after(one, 'PostToolUseFailure'))).body).toEqual({})
    expect((await requestOf(nameOf(one))).external.outcome).toMatchObject({ state: 'succeeded' })
  })

  test.each([
    ['dangerouslyDisableSandbox', 'Runs outside of the sandbox of the program that asks'],
    ['run_in_background', 'Goes on in the background: its start is reported, and not its end'],
  ])('a command with %s asks as that, with a cue', async (field, text) => {
    const one = event({ tool_input: { command: 'ls', [field]: true } })
    await send(one, { wait: 0 })
    const request = await requestOf(nameOf(one))
    expect(request).toMatchObject({
      tool: 'Bash',
      risk: 'high',
      cues: [{ id: 'protection_off', level: 'warning', text }],
    })
    expect(request.presentation.content).toContain(`"${field}": true`)
  })

  test('it answers before its time with a denial that says where the call waits; the same call goes on and asks nobody twice', async () => {
    const first = event()
    const late = reasonOf(await send(first, { wait: 0 }))
    const request = await requestOf(nameOf(first))
    expect(late).toMatch(new RegExp(`waits as #${request.number}; ask again`))
    const before = await countOf()
    const again = { ...first, tool_use_id: use() }
    await decide(request, 'approve')
    expect(outputOf(await send(again))).toEqual(yes)
    expect(await countOf()).toBe(before)
    await send(after(again))
    expect((await requestOf(nameOf(first))).external.outcome).toMatchObject({ state: 'succeeded' })
    // The id of the first call names the call that was made under it.
    expect(outputOf(await send(first))).toEqual(no)
  })

  test('a denial that came too late is told once, with its reason; then the same call asks anew', async () => {
    const first = event()
    await send(first, { wait: 0 })
    await decide(await requestOf(nameOf(first)), 'deny')
    const reason = reasonOf(await send({ ...first, tool_use_id: use() }, { wait: 0 }))
    expect(reason).toMatch(/Grace .*denied this .*not on a Friday/)
    const anew = { ...first, tool_use_id: use() }
    expect(reasonOf(await send(anew, { wait: 0 }))).toContain('waits as #')
    expect((await requestOf(nameOf(anew))).state).toBe('pending')
  })

  test('another session, another owner and another call never go on with it', async () => {
    const one = event()
    await send(one, { wait: 0 })
    await decide(await requestOf(nameOf(one)), 'approve')
    const forged = { ...one, tool_use_id: use() }
    for (const [body, by] of [
      [{ ...forged, session_id: 'session-2' }, ada],
      [{ ...forged, tool_input: { command: 'npm publish --tag latest' } }, ada],
      // The session and the id of somebody else's call.
      [one, other],
    ] as const) {
      expect(reasonOf(await send(body, { by, wait: 0 }))).toContain('waits as #')
    }
    // A report with the key of another person changes nothing either.
    expect(outputOf(await send(forged))).toEqual(yes)
    await send(after(one), { by: other })
    await send(after({ ...one, session_id: 'session-2' }))
    expect((await requestOf(nameOf(one))).external.outcome).toBeNull()
  })

  test('of two equal calls at once one takes the permit, and the other is asked about', async () => {
    const one = event()
    const two = { ...one, tool_use_id: use() }
    await send(one, { wait: 0 })
    const answers = [send(one, { wait: 4 }), send(two, { wait: 4 })]
    await decide(await requestOf(nameOf(one)), 'approve')
    const decisions = (await Promise.all(answers)).map(
      (reply) => outputOf(reply).permissionDecision,
    )
    expect(decisions).toHaveLength(2)
    expect(new Set(decisions)).toEqual(new Set(['allow', 'deny']))
  })

  test('of two hooks of one call, which goes on with an earlier one, one takes the permit, and the other is denied; nobody is asked again', async () => {
    const one = event()
    const two = { ...one, tool_use_id: use() }
    await send(one, { wait: 0 })
    const count = await countOf()
    const answers = [send(two, { wait: 30 }), send(two, { wait: 30 })]
    await decide(await requestOf(nameOf(one)), 'approve')
    const replies = await Promise.all(answers)
    const decisions = replies.map((reply) => outputOf(reply).permissionDecision)
    expect(new Set(decisions)).toEqual(new Set(['allow', 'deny']))
    expect(reasonOf(await send(two, { wait: 0 }))).toContain(
      'another hook of this same call took its permit',
    )
    expect(await countOf()).toBe(count)
  })

  // Rules: security.md 29, 42
  test('a call whose permit the ledger does not take is told that nothing ran, and not that it may have', async () => {
    const one = event()
    await send(one, { wait: 0 })
    await decide(await requestOf(nameOf(one)), 'approve')
    refusePermits()
    expect(reasonOf(await send(one))).toMatch(/used up without a call.*Ask again/)
  })

  test('an agent that is gone takes no permit: the same call finds it approved', async () => {
    const one = event()
    const leaving = new AbortController()
    const gone = fetch(`${api.url}${path}?wait=60`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(one),
      signal: leaving.signal,
    }).catch(() => null)
    const request = await requestOf(nameOf(one))
    leaving.abort()
    await gone
    await decide(request, 'approve')
    expect((await requestOf(nameOf(one))).external.consumed).toBeNull()
    expect(outputOf(await send(one))).toEqual(yes)
  })

  // Rules: product.md 19
  test('an agent whose key is revoked while it waits is denied, and takes no permit', async () => {
    const olga = await api.signIn(api.people.olga)
    const made = await olga.post('/v1/keys', { name: 'taken', scopes: ['requests:write'] })
    const by = { ...other, key: made.body.key as string }
    const one = event()
    const waiting = send(one, { by })
    const request = await requestOf(nameOf(one))
    expect((await olga.delete(`/v1/keys/${made.body.id}`)).status).toBeLessThan(300)
    await decide(request, 'approve')
    const { permissionDecision, permissionDecisionReason } = outputOf(await waiting)
    expect(permissionDecision).toBe('deny')
    expect(permissionDecisionReason).toMatch(/key ended/)
    expect((await requestOf(nameOf(one))).external.consumed).toBeNull()
  })

  test('a call that ran with other arguments than were approved has an unknown outcome', async () => {
    const one = event()
    await send(one, { wait: 0 })
    await decide(await requestOf(nameOf(one)), 'approve')
    expect(outputOf(await send(one))).toEqual(yes)
    await send(after({ ...one, tool_input: { command: 'rm -rf ~' } }))
    const { outcome } = (await requestOf(nameOf(one))).external
    expect(outcome).toMatchObject({ state: 'unknown', summary: expect.stringMatching(/other arg/) })
  })

  test('a call that somebody changed is handed over as it was approved, and its outcome is found', async () => {
    const one = event({ tool_input: { command: 'npm publish', description: 'Publish it' } })
    await send(one, { wait: 0, root: '/srv/shop' })
    await revise(await requestOf(nameOf(one)), { command: 'npm publish --dry-run' })
    await decide(await requestOf(nameOf(one)), 'approve')
    const updatedInput = { command: 'npm publish --dry-run', description: 'Publish it' }
    expect(outputOf(await send(one, { root: '/srv/shop' }))).toMatchObject({
      permissionDecision: 'allow',
      updatedInput,
    })
    await send(after({ ...one, tool_input: updatedInput }), { root: '/srv/shop' })
    expect((await requestOf(nameOf(one))).external.outcome).toMatchObject({ state: 'succeeded' })
  })

  test('a call that was changed to what its tool cannot do is denied, and did not run', async () => {
    const one = event()
    await send(one, { wait: 0, root: '/srv/shop' })
    await revise(await requestOf(nameOf(one)), { command: 'npm publish', cwd: 'other' })
    await decide(await requestOf(nameOf(one)), 'approve')
    expect(reasonOf(await send(one, { root: '/srv/shop' }))).toMatch(
      /other arguments were approved/,
    )
    expect((await requestOf(nameOf(one))).external.outcome).toMatchObject({
      state: 'failed',
      summary: expect.stringMatching(/^Nothing ran/),
    })
  })

  test('a call that goes on with an earlier one, and cannot be made as that was changed, is not asked about again for a second hook', async () => {
    const one = event()
    const two = { ...one, tool_use_id: use() }
    const ask = (body: object) => send(body, { root: '/srv/shop', wait: 0 })
    await ask(one)
    await revise(await requestOf(nameOf(one)), { command: 'npm publish', cwd: 'other' })
    await decide(await requestOf(nameOf(one)), 'approve')
    const count = await countOf()
    expect(reasonOf(await ask(two))).toMatch(/other arguments were approved/)
    expect(reasonOf(await ask(two))).toContain('another hook of this same call took its permit')
    expect(await countOf()).toBe(count)
  })

  test('a call that goes on with an earlier one, and was changed, is not asked about again for a second hook, and its id gives no other call', async () => {
    const one = event({ tool_input: { command: 'npm publish', description: 'Publish it' } })
    const two = { ...one, tool_use_id: use() }
    const ask = (body: object) => send(body, { root: '/srv/shop', wait: 0 })
    await ask(one)
    await revise(await requestOf(nameOf(one)), { command: 'npm publish --dry-run' })
    await decide(await requestOf(nameOf(one)), 'approve')
    const count = await countOf()
    const { updatedInput, ...first } = outputOf(await ask(two))
    expect(first).toEqual(yes)
    for (const tool_input of [two.tool_input, updatedInput, { command: 'rm -rf data' }]) {
      expect(reasonOf(await ask({ ...two, tool_input }))).toContain(
        'another hook of this same call took its permit',
      )
    }
    expect(await countOf()).toBe(count)
  })

  test('harmless tools get no verdict; any other spelling of their names, and any hostile name, asks or is denied', async () => {
    const before = await countOf()
    expect((await send(event({ tool_name: 'TodoWrite' }))).body).toEqual({})
    expect(await countOf()).toBe(before)
    for (const tool_name of [
      'TodoWrite ',
      'todowrite',
      'read_file',
      '../../etc',
      'x\u202e"}',
      '__proto__',
    ]) {
      const one = event({ tool_name })
      expect(reasonOf(await send(one, { wait: 0, root: '/srv/shop' }))).toContain('waits as #')
      expect((await requestOf(nameOf(one))).tool).toMatch(/^claude-code:[\w.:-]+$/)
    }
  })

  test.each([
    ['no object', []],
    ['an event without a tool', { hook_event_name: 'PreToolUse', session_id: 's' }],
    ['a name without an end', event({ tool_name: 'x'.repeat(201) })],
    ['an input that is text', event({ tool_input: 'rm' })],
    ['half a surrogate pair', event({ tool_input: { command: '\ud800' } })],
    ['another event', event({ hook_event_name: 'Stop' })],
  ])('%s is denied or refused, and asks nobody', async (_, body) => {
    const before = await countOf()
    const { status, body: answer } = await send(body, { wait: 0 })
    if (status === 200) expect(answer.hookSpecificOutput).toEqual(no)
    else expect(status).toBe(422)
    expect(await countOf()).toBe(before)
  })

  test('a path means nothing and every tool keeps its own name when no folder is reported', async () => {
    for (const root of [undefined, '', 'srv/shop', String.raw`C:\shop`]) {
      const one = event({
        tool_name: 'Read',
        tool_input: { file_path: '/etc/passwd' },
        cwd: '/',
        session_id: `folder-${calls}`,
      })
      await send(one, { wait: 0, ...(root === undefined ? {} : { root }) })
      expect(await requestOf(nameOf(one))).toMatchObject({
        tool: 'Read',
        input: { file_path: '/etc/passwd' },
      })
    }
  })

  test('refuses keys without requests:write, callers without a key, and people', async () => {
    const owner = await api.signIn(api.people.ada)
    const reader = await createProgram(api, owner, ['requests:read'])
    expect(await send(event(), { by: reader })).toMatchObject({ status: 403 })
    expect(await api.ask(path, { method: 'POST', body: event() })).toMatchObject({ status: 401 })
    expect(await owner.post(path, event())).toMatchObject({ status: 403 })
  })

  test('PermissionRequest, which has no id of the call, is answered in its own words, and its outcome is found by the call', async () => {
    const { tool_use_id: id, ...fields } = event({ hook_event_name: 'PermissionRequest' })
    const late = outputOf(await send(fields, { wait: 0 }))
    expect(late).toMatchObject({
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'deny', message: expect.stringContaining('waits as #') },
    })
    const { external_id: name } = await api.database.db
      .selectFrom('external_request')
      .select('external_id')
      .orderBy('request_id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await decide(await requestOf(name), 'approve')
    expect(outputOf(await send(fields))).toEqual({
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'allow' },
    })
    await send(after({ ...fields, tool_use_id: id }, 'PostToolUseFailure'))
    expect((await requestOf(name)).external.outcome).toMatchObject({ state: 'failed' })
  })
})

describe('a program on the machine', () => {
  const service = { url: api.url, apiKey: other.key }
  const waiting = new WaitingCalls(newFolder('countersign hooks '))
  const settingsOf = (name: AgentName) => ({
    service,
    agent: { name, ...agents[name] },
    root: '/srv/shop',
    hostProof: null,
    deadline: AbortSignal.timeout(120_000),
    waiting,
    onStillWaiting: null,
  })
  const prompted = {
    service,
    root: '/srv/shop',
    hostProof: null,
    waiting,
    askWithinMs: 20_000,
  }
  const hooked = (name: AgentName, tool_input: JsonObject) => {
    const { permission_mode: _, transcript_path: __, ...rest } = event({ tool_name: 'Deploy' })
    const one: HookEvent = { ...rest, hook_event_name: 'PreToolUse', tool_input }
    return {
      one,
      answer: decideHook(one, settingsOf(name)),
      name: nameOf(rest).replace('claude-code', name),
    }
  }

  test('gives an agent the arguments that people approved, and reports what became of them', async () => {
    const { answer, name, one } = hooked('claude-code', { to: 'production' })
    await revise(await requestOf(name), { to: 'staging' })
    await decide(await requestOf(name), 'approve')
    expect(await answer).toMatchObject({ decision: 'allow', input: { to: 'staging' } })
    const report = {
      ...one,
      hook_event_name: 'PostToolUse',
      tool_input: { to: 'staging' },
    } as const
    await reportHook(report, settingsOf('claude-code'))
    expect((await requestOf(name)).external.outcome).toMatchObject({ state: 'succeeded' })
  })

  // Rules: security.md 29, 42
  test('says that nothing ran, and not that it may have, if the ledger does not take the permit', async () => {
    const { answer, name } = hooked('claude-code', { to: 'the moon' })
    const request = await requestOf(name)
    refusePermits()
    await decide(request, 'approve')
    expect(await answer).toMatchObject({
      decision: 'deny',
      reason: expect.stringMatching(/used up without a call.*Ask again/),
    })
  })

  test('denies a hook of a call that has taken the permit of an earlier one; nobody is asked again', async () => {
    const late = new AbortController()
    const one = { ...event({ tool_name: 'Deploy' }), hook_event_name: 'PreToolUse' } as const
    const ask = (tool_use_id: string, more: object = {}) =>
      decideHook({ ...one, tool_use_id }, { ...settingsOf('claude-code'), ...more })
    const [first, second] = [use(), use()]
    const waits = ask(first, { deadline: late.signal })
    const request = await requestOf(`claude-code:${session}:${first}`)
    late.abort(new DOMException('late', 'TimeoutError'))
    await waits
    const count = await countOf()
    // What a hook leaves that is killed while it waits denies no later one.
    const stopped = new AbortController()
    const remember = vi.spyOn(waiting, 'remember')
    const killed = ask(second, { deadline: stopped.signal })
    await waitUntil(() => remember.mock.calls.length > 0)
    remember.mockRestore()
    const left = await waiting.find(`claude-code:${session}:${second}`)
    stopped.abort(new DOMException('late', 'TimeoutError'))
    await killed
    expect(left).toBeNull()
    await decide(request, 'approve')
    expect(await ask(second)).toMatchObject({ decision: 'allow' })
    expect(await ask(second)).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('another hook of this same call'),
    })
    expect(await countOf()).toBe(count)
    await reportHook(
      { ...one, tool_use_id: second, hook_event_name: 'PostToolUse' },
      settingsOf('claude-code'),
    )
    expect((await requestOf(`claude-code:${session}:${first}`)).external.outcome).toMatchObject({
      state: 'succeeded',
    })
  })

  test('of two hooks of a call that goes on with an earlier one, one takes the permit, though it stores that late; nobody is asked again', async () => {
    const late = new AbortController()
    const one = event({ tool_name: 'Deploy', tool_input: { to: 'two hooks' } })
    const ask = (tool_use_id: string, more: object = {}) =>
      decideHook(
        { ...one, hook_event_name: 'PreToolUse', tool_use_id },
        { ...settingsOf('claude-code'), ...more },
      )
    const [first, second] = [use(), use()]
    const waits = ask(first, { deadline: late.signal })
    const request = await requestOf(`claude-code:${session}:${first}`)
    late.abort(new DOMException('late', 'TimeoutError'))
    await waits
    const count = await countOf()
    await decide(request, 'approve')
    const remember = waiting.remember.bind(waiting)
    const stored = vi.spyOn(waiting, 'remember').mockImplementation(async (name, ...key) => {
      if (key.length === 1) await delay(300)
      await remember(name, ...key)
    })
    const answers = await Promise.all([ask(second), ask(second)])
    stored.mockRestore()
    expect(answers.map(({ decision }) => decision).toSorted()).toEqual(['allow', 'deny'])
    expect(await countOf()).toBe(count)
  })

  // Rules: product.md 47
  test('denies while the service is away, and goes on with the same request once it is back', async () => {
    await using way = await openBreakableWay(api.url)
    const late = new AbortController()
    const settings = {
      ...settingsOf('claude-code'),
      service: { ...service, url: way.url },
      deadline: late.signal,
    }
    const ask = (tool_use_id: string, more: object = {}) => {
      const one = event({ tool_name: 'Deploy', tool_input: { to: 'outer space' }, tool_use_id })
      const called = { ...one, hook_event_name: 'PreToolUse' } as const
      return decideHook(called, { ...settings, ...more })
    }
    const [first, again, last] = [use(), use(), use()]
    const waits = ask(first)
    const request = await requestOf(`claude-code:${session}:${first}`)
    // From then on the hook knows which request waits.
    await waitUntil(() => way.paths.some((path) => path.includes(`/${request.id}`)))
    way.break()
    late.abort()
    const reason = expect.stringContaining(`waits as #${request.number}; ask again`)
    expect(await waits).toMatchObject({ decision: 'deny', reason })
    const { signal } = new AbortController()
    expect(await ask(again, { deadline: signal })).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('no service answers'),
    })
    way.mend()
    const count = await countOf()
    await decide(request, 'approve')
    expect(await ask(last, { deadline: signal })).toMatchObject({ decision: 'allow' })
    expect(await countOf()).toBe(count)
  })

  // Rules: product.md 47
  test('names the request that waits when its time ends before the opening is answered', async () => {
    await using way = await openBreakableWay(api.url)
    const answerOpening = way.hold('answer')
    const late = new AbortController()
    const { signal: deadline } = late
    const settings = { ...settingsOf('claude-code'), service: { ...service, url: way.url } }
    const one = event({ tool_name: 'Deploy', tool_input: { to: 'the sea' } })
    const waits = decideHook({ ...one, hook_event_name: 'PreToolUse' }, { ...settings, deadline })
    const request = await requestOf(nameOf(one))
    late.abort(new DOMException('late', 'TimeoutError'))
    const reason = expect.stringContaining(`waits as #${request.number}; ask again`)
    expect(await waits).toMatchObject({ decision: 'deny', reason })
    await answerOpening()
    expect((await requestOf(nameOf(one))).state).toBe('pending')
  })

  test('denies where the agent would merge the arguments into its own and keep one that people removed', async () => {
    const { answer, name } = hooked('gemini-cli', { to: 'production', force: true })
    await revise(await requestOf(name), { to: 'production' })
    await decide(await requestOf(name), 'approve')
    expect(await answer).toMatchObject({
      decision: 'deny',
      reason: expect.stringMatching(/cannot take/),
    })
    expect((await requestOf(name)).external.outcome).toMatchObject({ state: 'failed' })
  })

  test('withdraws a request about a file that has changed since, and asks anew, by hook and by permission prompt', async () => {
    const root = newFolder('countersign changed ')
    const file = join(root, 'notes.md')
    const call = { tool_name: 'Write', tool_input: { file_path: file, content: 'new' } }
    const { signal } = new AbortController()
    const byHook = async (tool_use_id: string) => {
      const one = { ...event(call), hook_event_name: 'PreToolUse', tool_use_id, cwd: root } as const
      const late = new AbortController()
      const answer = decideHook(one, { ...settingsOf('claude-code'), root, deadline: late.signal })
      await requestOf(`claude-code:${session}:${tool_use_id}`)
      late.abort(new DOMException('late', 'TimeoutError'))
      await answer
    }
    const byPrompt = async (tool_use_id: string) => {
      const toolCall = { tool_name: call.tool_name, input: call.tool_input, tool_use_id }
      await askPermission(toolCall, { ...prompted, root, waitMs: 0 }, signal)
    }
    for (const [ask, nameOfUse] of [
      [byHook, (id: string) => `claude-code:${session}:${id}`],
      [byPrompt, (id: string) => id],
    ] as const) {
      const [first, again] = [use(), use()]
      await writeFile(file, 'old')
      await ask(first)
      expect((await requestOf(nameOfUse(first))).state).toBe('pending')
      await writeFile(file, 'changed')
      await ask(again)
      expect((await requestOf(nameOfUse(first))).state).toBe('cancelled')
      expect((await requestOf(nameOfUse(again))).state).toBe('pending')
    }
  })

  test('answers a permission prompt with the arguments that people approved', async () => {
    const tool_use_id = use()
    const toolCall = { tool_name: 'Deploy', input: { to: 'production' }, tool_use_id }
    const answer = askPermission(
      toolCall,
      { ...prompted, waitMs: 120_000 },
      new AbortController().signal,
    )
    await revise(await requestOf(tool_use_id), { to: 'canary' })
    await decide(await requestOf(tool_use_id), 'approve')
    expect(await answer).toEqual({ behavior: 'allow', updatedInput: { to: 'canary' } })
  })

  // Rules: product.md 47
  test('denies a permission prompt when the service ends meanwhile, and goes on with its request', async () => {
    await using way = await openBreakableWay(api.url)
    const settings = { ...prompted, service: { ...service, url: way.url }, waitMs: 0 }
    const ask = () => {
      const tool_use_id = use()
      const toolCall = { tool_name: 'Deploy', input: { to: 'the moon' }, tool_use_id }
      return askPermission(toolCall, settings, new AbortController().signal)
    }
    const late = await ask()
    expect(late).toMatchObject({ behavior: 'deny', message: expect.stringContaining('waits as #') })
    const request = await requestOf(`toolu_${calls}`)
    way.break()
    expect(await ask()).toMatchObject({ message: expect.stringContaining('no service answers') })
    way.refuse(401)
    expect(await ask()).toMatchObject({ message: expect.stringContaining('401') })
    way.mend()
    const count = await countOf()
    await decide(request, 'approve')
    expect(await ask()).toMatchObject({ behavior: 'allow' })
    expect(await countOf()).toBe(count)
  })
  // Rules: product.md 47
  test('answers a permission prompt whose opening is late with the request that waits', async () => {
    await using way = await openBreakableWay(api.url)
    const answerOpening = way.hold('answer')
    const tool_use_id = use()
    const toolCall = { tool_name: 'Deploy', input: { to: 'the desert' }, tool_use_id }
    const settings = {
      ...prompted,
      service: { ...service, url: way.url },
      askWithinMs: 2000,
      waitMs: 0,
    }
    const late = await askPermission(toolCall, settings, new AbortController().signal)
    const { number, state } = await requestOf(tool_use_id)
    expect(state).toBe('pending')
    const message = expect.stringContaining(`waits as #${number}`)
    expect(late).toMatchObject({ behavior: 'deny', message })
    await answerOpening()
  })
})
