import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashJson } from '#domain/json/digest.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { ContractDesk } from './contract-desk.ts'
import { contractConfig, scriptedWorker, writerTo } from './contract-project.ts'

const write = (id: string, path: string, content = 'x\n') => ({
  id,
  tool: 'write_file',
  input: { path, content },
})

let desk: ContractDesk

beforeAll(async () => {
  const folders = ['infra', 'two', 'any', 'self', 'quick', 'fixed', 'revised', 'plain']
  desk = await ContractDesk.open({
    'countersign.yaml': contractConfig,
    ...Object.assign({}, ...folders.map(writerTo)),
    ...scriptedWorker('batch', [
      [
        write('a', 'chain.txt', 'one\n'),
        write('b', 'chain.txt', 'two\n'),
        { id: 'c', tool: 'delete_file', input: { path: 'victim.txt' } },
      ],
    ]),
    ...scriptedWorker('lapsing', [[write('a', 'first.txt'), write('b', 'lapse/late.txt')]]),
    'src/a.ts': 'x\n',
    'notes/old.md': 'x\n',
    'scratch/readme.txt': 'x\n',
    'victim.txt': 'x\n',
    '.github/readme.md': 'x\n',
  })
}, 240_000)
afterAll(() => desk?.[Symbol.asyncDispose]())
// A write of what an earlier test has written would change nothing, and ask nobody.
beforeEach(() => rm(join(desk.installation.folder, 'plain'), { recursive: true, force: true }))

describe('a request', () => {
  test('has every field of the contract, null where nothing is, under its id and its number', async () => {
    const run = await desk.run('batch')
    const [, request] = await desk.requests(run)
    expect(request).toMatchObject({
      revision: 1,
      state: 'pending',
      kind: 'tool_call',
      queue: 'platform',
      risk: 'medium',
      tool: 'write_file',
      input: { path: 'chain.txt', content: 'two\n' },
      rule: {
        id: 'zone:repo.write',
        text: 'zone repo: write asks',
        source: expect.stringMatching(/^workers\/batch\.md:\d+$/),
      },
      claim: null,
      agentReason: 'I propose.',
      runId: run,
      toolCallId: 'b',
      turn: 1,
      batch: { position: 2, size: 3 },
      lineage: [{ runId: run, worker: 'batch', startedBy: { name: 'Alan' } }],
      quorum: {
        required: [{ team: 'platform', count: 1 }],
        counted: [],
        missing: [{ team: 'platform', count: 1 }],
        text: '1 of platform',
      },
      eligibility: { canDecide: true, reason: null },
      allowedDecisions: ['approve', 'deny'],
      allowedScopes: ['once', 'run', 'path'],
      decisions: [],
      previous: [],
      execution: { state: 'not_started' },
      decidedAt: null,
      supersededBy: null,
      facts: { assumes: 1 },
    })
    expect(request?.presentation.content).toContain('-one\n+two\n')
    const { digest, ...content } = request?.presentation ?? { digest: '' }
    expect(hashJson(content)).toBe(digest)
    const siblings = request?.batch?.siblings ?? []
    expect(siblings.map(({ tool, state }) => [tool, state])).toEqual([
      ['write_file', 'pending'],
      ['delete_file', 'pending'],
    ])
    expect(await desk.request(request?.number ?? 0)).toEqual(request)
    const { task, createdAt } = await desk.until(run, ['waiting_for_approval'])
    expect(task).toEqual(request?.task)
    expect(task).toMatchObject({ text: 'go', by: { name: 'Alan' }, at: createdAt, later: 0 })
    const page = await desk.cli(
      'requests',
      'show',
      String(request?.number),
      '--as',
      'grace@example.com',
    )
    expect(page.stdout).toContain('assumes call 1 of 3')
    const digestOnly = ['requests', 'show', String(request?.number), '--digest']
    expect((await desk.cli(...digestOnly, '--as', 'grace@example.com')).stdout).toBe(
      `${request?.digest}\n`,
    )
  })

  // Rules: product.md 15
  test('asks afresh when an earlier call that it assumes is denied', async () => {
    const run = await desk.run('batch')
    const [first, second] = await desk.requests(run)
    if (first === undefined || second === undefined) throw new Error('nothing waits')
    await desk.decide(first, { decision: 'deny' })
    await waitUntil(async () => (await desk.request(second.id)).state === 'cancelled')
    const old = await desk.request(second.id)
    expect(old).toMatchObject({ cancelReason: 'superseded', supersededBy: expect.any(String) })
    expect(await desk.request(old.supersededBy ?? '')).toMatchObject({
      previous: [{ requestId: second.id, state: 'cancelled' }],
      presentation: { type: 'file_content', content: 'two\n' },
    })
  })

  // Rules: product.md 14
  test('that went stale is refused, stays approved, and asks afresh with what it replaces', async () => {
    const run = await desk.run('to-plain')
    const request = await desk.pending(run)
    const file = join(desk.installation.folder, 'plain', 'file.txt')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'somebody was faster\n')
    const answer = await desk.decide(request)
    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'approved', execution: { state: 'refused', reason: 'stale' } },
    })
    expect(await readFile(file, 'utf8')).toBe('somebody was faster\n')
    const fresh = await desk.pending(run)
    expect(await desk.request(request.id)).toMatchObject({
      state: 'approved',
      supersededBy: fresh.id,
    })
    expect(fresh.previous).toMatchObject([{ requestId: request.id, state: 'approved' }])
    expect(fresh.presentation.content).toContain('-somebody was faster\n+text of plain\n')
    expect(await desk.decide(fresh)).toMatchObject({ body: { execution: { state: 'succeeded' } } })
  })

  // Rules: product.md 12, 14
  test('whose permit lapsed before its turn came is refused as lapsed and asks afresh', async () => {
    const run = await desk.run('lapsing')
    const [first, second] = await desk.requests(run)
    if (first === undefined || second === undefined) throw new Error('nothing waits')
    await desk.decide(second)
    const approvedAt = Date.now()
    await waitUntil(() => Date.now() > approvedAt + 1_200)
    await desk.decide(first)
    const fresh = await desk.pending(run)
    expect(fresh.previous).toMatchObject([
      { requestId: second.id, state: 'approved', decidedBy: 'Grace' },
    ])
    expect(await desk.request(second.id)).toMatchObject({
      state: 'approved',
      execution: { state: 'refused', reason: 'lapsed' },
      supersededBy: fresh.id,
    })
  })

  // Rules: product.md 12
  test('that nobody decides in time expires: neither denial nor approval', async () => {
    const run = await desk.run('to-quick')
    await desk.until(run, ['completed'])
    const [request] = await desk.requests(run)
    expect(request).toMatchObject({ state: 'expired', decisions: [] })
    expect((await desk.calls(run))[0]?.result?.type).toBe('expired')
    expect(await desk.decide(request!)).toMatchObject({ status: 410, body: { code: 'expired' } })
  })

  // Rules: product.md 13
  test('of a cancelled run leaves the queue with its reason', async () => {
    const run = await desk.run('to-plain')
    const request = await desk.pending(run)
    const cancelled = await (await desk.as('alan')).post(`/v1/runs/${run}/cancel`, { reason: 'no' })
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    expect(await desk.decide(request)).toMatchObject({
      status: 410,
      body: { code: 'cancelled', cancelReason: 'run_cancelled' },
    })
  })
})

describe('who decides', () => {
  test('high risk needs a reason and all of it seen, and two teams two people', async () => {
    const request = await desk.pending(await desk.run('to-infra'))
    expect(request).toMatchObject({
      risk: 'high',
      quorum: { text: '1 of platform and 1 of security' },
    })
    const reason = 'looked at'
    const seen = request.presentation.digest
    expect(await desk.decide(request)).toMatchObject({
      status: 422,
      body: { code: 'reason_required' },
    })
    for (const wrong of [{}, { seen: request.digest }]) {
      const answer = await desk.decide(request, { reason, ...wrong })
      expect(answer).toMatchObject({ status: 422, body: { code: 'not_displayed' } })
    }
    const first = await desk.decide(request, { reason, seen })
    expect(first).toMatchObject({ status: 200, body: { state: 'pending', stage: 'recorded' } })
    expect(await desk.decide(request, { reason, seen })).toMatchObject({
      status: 409,
      body: { code: 'already_voted' },
    })
    const mine = await (await desk.as('grace')).get('/v1/requests?mine=true')
    expect(mine.body['items']).not.toContainEqual(expect.objectContaining({ id: request.id }))
    // Grace is in both teams, and fills the place that Lin cannot.
    expect(await desk.decide(request, { reason, seen }, 'lin')).toMatchObject({
      body: { state: 'approved', execution: { state: 'succeeded' } },
    })
  })

  test('two of one team are two people; either of two ways is enough', async () => {
    const two = await desk.pending(await desk.run('to-two'))
    expect(await desk.decide(two)).toMatchObject({ body: { state: 'pending' } })
    expect(await desk.decide(two, {}, 'lin')).toMatchObject({ body: { state: 'approved' } })
    const any = await desk.pending(await desk.run('to-any'))
    expect(any.quorum.text).toBe('1 of security or 2 of platform')
    expect(await desk.decide(any, {}, 'edsger')).toMatchObject({ body: { state: 'approved' } })
  })

  test('nobody behind the request, no stranger, and who lost hears who won', async () => {
    const request = await desk.pending(await desk.run('to-plain', { by: 'ada' }))
    for (const [person, status, code] of [
      ['ada', 403, 'not_eligible'],
      ['mallory', 404, 'not_found'],
    ] as const) {
      expect(await desk.decide(request, {}, person)).toMatchObject({ status, body: { code } })
    }
    expect((await desk.request(request.id, 'ada')).eligibility).toEqual({
      canDecide: false,
      reason: "you can't decide: you started this run",
    })
    await desk.decide(request, { decision: 'deny', reason: 'use yarn' })
    expect(await desk.decide(request, {}, 'lin')).toMatchObject({
      status: 409,
      body: {
        code: 'already_decided',
        state: 'denied',
        decidedBy: 'Grace',
        decidedAt: expect.any(String),
        reason: 'use yarn',
      },
    })
  })

  test('a queue with selfApproval marks every such decision', async () => {
    const run = await desk.run('to-self', { by: 'ada' })
    const request = await desk.pending(run, 'ada')
    expect((await desk.decide(request, {}, 'ada')).status).toBe(200)
    expect((await desk.request(request.id, 'ada')).decisions).toMatchObject([
      { selfApproved: true },
    ])
  })

  // Rules: product.md 11
  test('edits: off refuses a change, revise puts the editor behind it', async () => {
    const change = async (worker: string) => {
      const request = await desk.pending(await desk.run(worker))
      const input = { path: 'plain/changed.txt', content: 'changed\n' }
      const { id, digest, revision } = request
      const session = await desk.as('grace')
      return session.post(`/v1/requests/${id}/revisions`, { input, digest, revision })
    }
    expect(await change('to-fixed')).toMatchObject({ status: 403, body: { code: 'edits_off' } })
    const { status, body } = await change('to-revised')
    expect([status, body['revision']]).toEqual([200, 2])
    const revised = await desk.request(String(body['id']))
    expect(await desk.decide(revised)).toMatchObject({
      status: 403,
      body: { code: 'not_eligible' },
    })
    expect(await desk.decide({ ...revised, revision: 1 }, {}, 'lin')).toMatchObject({
      status: 412,
      body: { code: 'stale_revision', revision: 2, digest: revised.digest },
    })
    expect(await desk.decide(revised, {}, 'lin')).toMatchObject({ body: { state: 'approved' } })
  })
})
