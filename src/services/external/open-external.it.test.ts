import { describe, expect, test } from 'vitest'
import { callDigest, hashBytes } from '#domain/json/digest.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addKey } from '#test/harness/fixtures/people.ts'
import { unknownToolHash } from '#policy/judge/unknown-tool.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowOf, rowsOf } from '#test/harness/fixtures/rows.ts'
import { consumePermit } from './consume-permit.ts'
import { openProgramDesk } from './external.fixture.ts'
import { openExternal } from './open-external.ts'
import { trailOf } from '#test/harness/fixtures/trail.ts'

const desk = disposeAfterTests(await openProgramDesk())

const call = { tool: 'deploy', input: { service: 'shop' } }

describe('a request of a program', () => {
  test('for a tool that only the program knows has high risk, the queue that routing gives, and the digest of exactly its call', async () => {
    const request = await desk.ask({ metadata: { ticket: 'OPS-7' } })
    const input = { service: 'shop', version: '1.4.2' }
    const digest = callDigest({ tool: 'deploy', input, toolHash: unknownToolHash('deploy') })
    expect(request).toMatchObject({
      kind: 'external',
      state: 'pending',
      risk: 'high',
      queue: 'platform',
      tool: 'deploy',
      title: 'deploy {"service":"shop","version":"1.4.2"}',
      digest,
      runId: null,
      lineage: [],
      input,
      presentation: { type: 'structured', truncated: false },
      allowedDecisions: ['approve', 'deny'],
      allowedScopes: ['once'],
      edits: 'revise',
      execution: { state: 'not_started' },
      external: {
        key: { id: desk.program.id, name: 'key of Grace' },
        owner: { name: 'Grace' },
        onBehalfOf: null,
        worker: null,
        verdict: 'ask',
        metadata: { ticket: 'OPS-7' },
        consumed: null,
        outcome: null,
      },
    })
    expect(await desk.auditOf(request.id)).toEqual(['request.opened'])
    const rows = await rowsOf(desk.service.db, 'outbox', { run_id: request.id }, 'kind', 'run_id')
    expect(rows).toEqual([{ kind: 'start_approval', run_id: request.id }])
  })

  test("has its own words, which are a claim: quoted, and covered by the presentation's digest", async () => {
    const presentation = { type: 'text' as const, content: 'nothing to see' }
    const title = 'Roll out 1.4.2'
    const request = await desk.ask({ title, presentation })
    const silent = await desk.ask()
    expect(request.title).toBe('deploy: “Roll out 1.4.2”')
    expect(request.external?.claim).toEqual({ title, presentation })
    expect(request.presentation.content).toBe(silent.presentation.content)
    expect(request.presentation.digest).not.toBe(silent.presentation.digest)
  })

  // Rules: product.md 17, 19
  test('has its own words for the task, which are a claim; they are not the task of a run', async () => {
    const request = await desk.ask({ metadata: { task: 'Release the shop' } })
    expect(request).toMatchObject({ task: null, claimedTask: 'Release the shop' })
    const long = await desk.ask({ metadata: { task: 'y'.repeat(5000) } })
    expect(long.claimedTask).toBe('y'.repeat(5000))
    for (const metadata of [{ task: 7 }, { task: { text: 'x' } }, {}]) {
      expect(await desk.ask({ metadata })).toMatchObject({ task: null, claimedTask: null })
    }
  })

  test('is decided by nobody behind it: the owner of the key, the person it acts for, or a key', async () => {
    const onBehalfOf = 'LINUS@example.com'
    const unreachable = await refusal(desk.ask({ onBehalfOf, queue: 'platform' }))
    expect(unreachable).toMatchObject({
      code: 'unreachable_approvers',
      facts: {
        queue: 'platform',
        people: [
          { name: 'Grace', why: 'owns the API key that opened the request' },
          { name: 'Linus', why: 'is the person on whose behalf this was requested' },
        ],
      },
    })
    await addPerson(desk.service.db, 'Barbara', ['platform'])
    const request = await desk.ask({ onBehalfOf, queue: 'platform' })
    expect(request.external?.onBehalfOf?.name).toBe('Linus')
    expect(request.eligibility).toMatchObject({
      canDecide: false,
      reason: "you can't decide: you are the person on whose behalf this was requested",
    })
    const { digest, presentation } = request
    const body = {
      decision: 'approve',
      digest,
      revision: 1,
      reason: 'x',
      seen: presentation.digest,
    }
    const owner = await refusal(
      decideRequest(desk.service.ctx, desk.grace.caller, { request: request.id, body }),
    )
    expect(owner).toMatchObject({ code: 'not_eligible', facts: { which: 'behind_request' } })
    expect(owner.message).toContain('your API key opened this request')
    const machine = await refusal(
      decideRequest(desk.service.ctx, desk.program.caller, { request: request.id, body }),
    )
    expect(machine).toMatchObject({ code: 'not_eligible', facts: { which: 'machine' } })
    expect((await desk.read(request.id)).state).toBe('pending')
  })

  test('is visible to the program, its owner and the person it acts for, and to nobody else', async () => {
    const request = await desk.ask({ onBehalfOf: desk.ada.id, queue: 'security' }).catch(() => null)
    expect(request).toBeNull()
    const { requestId } = await openExternal(desk.service.ctx, desk.program.caller, {
      ...call,
      queue: 'platform',
      externalId: 'seen',
      onBehalfOf: desk.ada.id,
    })
    for (const caller of [desk.program.caller, desk.grace.caller, desk.ada.caller]) {
      const detail = await getRequest(desk.service.ctx, caller, { request: requestId })
      expect(detail.id).toBe(requestId)
    }
    const other = await addKey(desk.service.db, { ...desk.ada, name: 'Ada' })
    const elsewhere = await openExternal(desk.service.ctx, desk.program.caller, {
      ...call,
      externalId: 'unseen',
    })
    const unseen = await refusal(
      getRequest(desk.service.ctx, other.caller, { request: elsewhere.requestId }),
    )
    expect(unseen.code).toBe('not_found')
  })
})

// Rules: security.md 29
test('has nobody behind it by an address that was written into a person’s row', async () => {
  const { db } = desk.service
  const rename = (id: string, email: string) =>
    db.updateTable('person').set({ email }).where('id', '=', id).execute()
  await rename(desk.linus.id, 'aside@example.com')
  await rename(desk.ada.id, 'linus@example.com')
  const refused = await refusal(desk.ask({ onBehalfOf: 'linus@example.com' }))
  expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'onBehalfOf' } })
  await rename(desk.ada.id, 'ada@example.com')
  await rename(desk.linus.id, 'linus@example.com')
})

describe('an externalId', () => {
  test('opens one request, however often and by however many it is sent at once', async () => {
    const body = { ...call, externalId: 'raced' }
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openExternal(desk.service.ctx, desk.program.caller, body)),
    )
    expect(new Set(opened.map(({ requestId }) => requestId)).size).toBe(1)
    const again = await openExternal(desk.service.ctx, desk.program.caller, body)
    expect(again).toEqual(opened[0])
  })

  test('opens no request for another call, and belongs to its owner', async () => {
    const first = await desk.ask({ externalId: 'mine' })
    const other = { ...call, externalId: 'mine' }
    const refused = await refusal(openExternal(desk.service.ctx, desk.program.caller, other))
    expect(refused).toMatchObject({
      code: 'idempotency_key_reused',
      facts: { request: first.id },
    })
    const key = await addKey(desk.service.db, desk.linus)
    const theirs = await openExternal(desk.service.ctx, key.caller, other)
    expect(theirs.requestId).not.toBe(first.id)
    const sameOwner = await addKey(desk.service.db, desk.grace)
    const shared = await refusal(openExternal(desk.service.ctx, sameOwner.caller, other))
    expect(shared.code).toBe('idempotency_key_reused')
  })
})

describe('nothing is opened', () => {
  test.each([
    ['by a person', { externalId: 'p' }, 'forbidden'],
    ['for a queue that there is not', { externalId: 'q', queue: 'nowhere' }, 'invalid_request'],
    ['for somebody nobody knows', { externalId: 'o', onBehalfOf: 'x@y.z' }, 'invalid_request'],
    ['for a worker that there is not', { externalId: 'w', worker: 'nobody' }, 'unknown_worker'],
    [
      'in a queue of whose team nobody is here',
      { externalId: 's', queue: 'security' },
      'unreachable_approvers',
    ],
    [
      'where the workspace does not answer',
      { externalId: 'u', worker: 'scribe' },
      'workspace_unreachable',
    ],
    [
      'when a worker and a queue are named',
      { externalId: 'b', worker: 'scribe', queue: 'platform' },
      'invalid_request',
    ],
    [
      'for what only runs do',
      { externalId: 'r', worker: 'scribe', tool: 'call_worker' },
      'invalid_request',
    ],
  ] as const)('%s', async (who, more, code) => {
    const caller = who === 'by a person' ? desk.grace.caller : desk.program.caller
    const refused = await refusal(openExternal(desk.service.ctx, caller, { ...call, ...more }))
    expect(refused.code).toBe(code)
    const rows = await rowsOf(
      desk.service.db,
      'external_request',
      { external_id: more.externalId },
      'request_id',
    )
    expect(rows).toEqual([])
  })
})

describe('the policy of a worker judges first', () => {
  const input = { path: 'a.md', content: 'x' }
  const toolHash = `sha256:${'ab'.repeat(32)}`
  const judgement: Judgement = {
    verdict: 'preApproved',
    rule: { id: 'zone:notes.write', text: 'zone notes: write is pre-approved', source: null },
    reason: 'zone notes: write is pre-approved',
    tool: 'write_file',
    input,
    digest: callDigest({ tool: 'write_file', input, toolHash }),
    toolHash,
    risk: 'medium',
    readOnly: false,
    policyDigest: `sha256:${'cd'.repeat(32)}`,
    routing: null,
    grantId: null,
    printed: null,
    steps: [],
  }
  const body = { tool: 'write_file', input, worker: 'scribe' }

  test('and a call that it pre-approves is approved at once, by policy and by nobody', async () => {
    desk.service.answerJudging(async () => ({ judgement, presented: null }))
    const request = await desk.ask(body)
    expect(request).toMatchObject({
      state: 'approved',
      decisions: [],
      decidedBy: null,
      external: { verdict: 'preApproved', worker: 'scribe' },
    })
    expect(await desk.auditOf(request.id)).toEqual([
      'request.opened',
      'call.judged',
      'permit.issued',
    ])
    const row = await rowOf(desk.service.db, 'permit', { request_id: request.id })
    expect(JSON.parse(row.statement)).toMatchObject({ deciders: [], runId: null, callId: null })
  })

  test('and the events of a call that it pre-approves are one chain, at the time of the permit', async () => {
    desk.service.answerJudging(async () => ({ judgement, presented: null }))
    const { id } = await desk.ask(body)
    const permit = await rowOf(desk.service.db, 'permit', { request_id: id }, 'issued_at')
    const at = permit.issued_at.toISOString()
    const events = await trailOf(desk.service.db, { request: id })
    const links = events.map(({ document }) => JSON.parse(document) as JsonObject)
    const hashes = events.map(({ document }) => hashBytes(document))
    expect(links).toMatchObject([
      { at, sequence: 1, previous: null },
      { at, sequence: 2, previous: hashes[0] },
      { at, sequence: 3, previous: hashes[1] },
    ])
  })

  // Rules: product.md 1, 14
  test('and a call gets no permit when a later version asks about it, blocks it or lacks the worker, but gets one when that version pre-approves it', async () => {
    const { ctx, policy } = desk.service
    const later = (verdict: Judgement['verdict']) =>
      desk.service.answerJudging(async ({ present }) => {
        expect(present).toBe(false)
        return { judgement: { ...judgement, verdict }, presented: null }
      })
    desk.service.answerJudging(async () => ({ judgement, presented: null }))
    const { id, digest } = await desk.ask(body)
    const take = (by = ctx) => consumePermit(by, desk.program.caller, { request: id, digest })
    later('ask')
    expect((await refusal(take())).code).toBe('expired')
    later('blocked')
    expect((await refusal(take())).code).toBe('policy_blocked')
    const inForce = async () => ({ ...policy, workers: new Map() })
    const without = { ...ctx, policies: { ...ctx.policies, inForce } }
    expect((await refusal(take(without))).code).toBe('policy_blocked')
    later('preApproved')
    expect(await take()).toMatchObject({ digest })
  })

  test('and a call that it blocks opens no request, and the trail has it', async () => {
    const reason = 'blocked by policy: zone notes: write'
    const blocked = { ...judgement, verdict: 'blocked' as const, reason }
    desk.service.answerJudging(async () => ({ judgement: blocked, presented: null }))
    const refused = await refusal(desk.ask(body))
    expect(refused).toMatchObject({ code: 'policy_blocked', message: reason })
    const judged = await trailOf(desk.service.db, {}, 'call.judged')
    expect(judged.at(-1)?.detail).toMatchObject({ verdict: 'blocked' })
  })

  test("and a command that it blocks is blocked outside of the agent's sandbox too, and asks otherwise", async () => {
    const leaving = (command: string) => ({
      tool: 'Bash',
      input: { command, dangerouslyDisableSandbox: true },
      worker: 'scribe',
    })
    const judged: string[] = []
    desk.service.answerJudging(async ({ tool, input: sent }) => {
      const own = isJsonObject(sent) ? sent : {}
      judged.push(`${tool} ${JSON.stringify(own)}`)
      const isBlocked = tool === 'shell' && own['command'] === 'rm -rf /'
      const verdict = isBlocked ? ('blocked' as const) : ('preApproved' as const)
      const digest = callDigest({ tool, input: own, toolHash })
      return { judgement: { ...judgement, verdict, tool, input: own, digest }, presented: null }
    })
    expect((await refusal(desk.ask(leaving('rm -rf /')))).code).toBe('policy_blocked')
    await desk.ask(leaving('ls'))
    expect(judged).toEqual([
      'shell {"command":"rm -rf /"}',
      'shell {"command":"ls"}',
      'Bash {"command":"ls","dangerouslyDisableSandbox":true}',
    ])
  })

  test('and a path that it blocks for writing is blocked in any tool of an agent that writes it, and asks elsewhere', async () => {
    const judged: string[] = []
    desk.service.answerJudging(async ({ tool, input: sent }) => {
      const own = isJsonObject(sent) ? sent : {}
      judged.push(`${tool} ${String(own['path'])}`)
      const isBlocked = tool === 'write_file' && String(own['path']).startsWith('locked/')
      const verdict = isBlocked ? ('blocked' as const) : ('preApproved' as const)
      const digest = callDigest({ tool, input: own, toolHash })
      return { judgement: { ...judgement, verdict, tool, input: own, digest }, presented: null }
    })
    const byAgent = {
      worker: 'scribe',
      origin: { program: 'Claude Code', host: 'mac', folder: '/srv/shop' },
    }
    const edit = (folder: string) => {
      const change = { old_string: 'a', new_string: 'b', replace_all: true }
      return {
        tool: 'Edit',
        input: { file_path: `/srv/shop/${folder}/a.md`, ...change },
        ...byAgent,
      }
    }
    const patch = (...lines: string[]) => ({
      tool: 'codex:apply_patch',
      input: { command: lines.join('\n') },
      ...byAgent,
    })
    const moved = patch('*** Update File: notes/a.md', '*** Move to: locked/b.md')
    for (const blocked of [edit('locked'), moved]) {
      expect((await refusal(desk.ask(blocked))).code).toBe('policy_blocked')
    }
    await desk.ask(edit('notes'))
    expect(judged).toEqual([
      'write_file locked/a.md',
      'write_file notes/a.md',
      'write_file locked/b.md',
      'write_file notes/a.md',
      'Edit undefined',
    ])
    await desk.ask({ ...edit('locked'), hasNoRoot: true })
    expect(judged.slice(5)).toEqual(['Edit undefined'])
    const many = patch(...Array.from({ length: 51 }, (_, at) => `*** Add File: n/${at}.md`))
    expect((await refusal(desk.ask(many))).code).toBe('invalid_request')
  })

  // Rules: product.md 1; security.md 32
  test('and a path that it blocks for reading is blocked in any tool of an agent that reads it, and asks where the worker cannot read it', async () => {
    desk.service.answerJudging(async ({ tool, input: sent }) => {
      const own = isJsonObject(sent) ? sent : {}
      const isOurs = tool === 'read_file' || tool === 'search_files'
      const isBlocked = isOurs && String(own['path']).startsWith('private')
      const verdict = isBlocked ? 'blocked' : isOurs ? 'error' : 'ask'
      const digest = callDigest({ tool, input: own, toolHash })
      return { judgement: { ...judgement, verdict, tool, input: own, digest }, presented: null }
    })
    const byAgent = (tool: string, input: JsonObject) => ({
      worker: 'scribe',
      origin: { program: 'Gemini CLI', host: 'mac', folder: '/srv/shop' },
      tool,
      input,
    })
    for (const [tool, member] of [
      ['gemini-cli:read_file', 'file_path'],
      ['gemini-cli:grep_search', 'dir_path'],
      ['Grep', 'path'],
      ['copilot-cli:view', 'path'],
    ] as const) {
      const refused = await refusal(desk.ask(byAgent(tool, { [member]: '/srv/shop/private/a.md' })))
      expect(refused.code).toBe('policy_blocked')
      await desk.ask(byAgent(tool, { [member]: '/srv/shop/notes/a.md' }))
    }
  })

  test('an answer about another call is rejected', async () => {
    const forged = { ...judgement, input: { path: 'b.md', content: 'evil' } }
    desk.service.answerJudging(async () => ({ judgement: forged, presented: null }))
    expect((await refusal(desk.ask(body))).code).toBe('unavailable')
  })

  test('a call that could not run is the program’s error, and nobody is asked', async () => {
    const wrong = { ...judgement, verdict: 'error' as const, reason: 'content: is missing' }
    desk.service.answerJudging(async () => ({ judgement: wrong, presented: null }))
    const refused = await refusal(desk.ask(body))
    expect(refused).toMatchObject({ code: 'invalid_request', message: 'content: is missing' })
  })
})
