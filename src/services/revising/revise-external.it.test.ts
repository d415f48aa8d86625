import { describe, expect, test } from 'vitest'
import type { Routing } from '#domain/deciding/judgement.ts'
import { callDigest } from '#domain/json/digest.ts'
import { unknownToolHash } from '#policy/judge/unknown-tool.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { testRouting } from '#test/harness/fixtures/gated-run.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { consumePermit } from '../external/consume-permit.ts'
import { openProgramDesk } from '../external/external.fixture.ts'
import type { RequestDetailRecord } from '../requests/facts/request-record.ts'
import { reviseRequest } from './revise-request.ts'

const desk = disposeAfterTests(await openProgramDesk())
const edsger = await addPerson(desk.service.db, 'Edsger', ['platform'])

const changed = { service: 'shop', version: '1.4.1' }

function revise(person: TestPerson, { id, digest }: RequestDetailRecord, input = changed) {
  const named = { request: id, digest, revision: 1, reason: 'the version before' }
  return reviseRequest(desk.service.ctx, person.caller, { ...named, input })
}

const approve = (person: TestPerson, request: RequestDetailRecord) =>
  decideAs(desk.service.ctx, person, request, {
    reason: 'ok',
    seen: request.presentation.digest,
  })

/** A routing of a call of a program: so many people of the team decide, once. */
const routingOf = (count: number): Routing =>
  testRouting({
    quorum: { any: [[{ team: 'platform', count }]] },
    scopes: ['once'],
    edits: 'revise',
  })

const consume = (request: string, digest: string) =>
  consumePermit(desk.service.ctx, desk.program.caller, { request, digest })

// Rules: product.md 11, 17
describe("a changed call of a program's", () => {
  test('is the next revision, which another person than its editor decides and the program takes by its own digest', async () => {
    const title = 'Only a small change'
    const externalRequest = await desk.ask({ title })
    const { digest, revision } = await revise(desk.linus, externalRequest)
    const toolHash = unknownToolHash('deploy')
    expect(digest).toBe(callDigest({ tool: 'deploy', input: changed, toolHash }))
    const request = await desk.read(externalRequest.id)
    expect(request).toMatchObject({
      revision,
      digest,
      input: changed,
      state: 'pending',
      risk: 'high',
      queue: externalRequest.queue,
      title: 'deploy {"service":"shop","version":"1.4.1"}',
      eligibility: { canDecide: false, reason: "you can't decide: you edited this call" },
      external: { claim: { title } },
      revisions: [
        { revision: 1, digest: externalRequest.digest, editor: null },
        { revision: 2, digest, editor: { name: 'Linus' }, reason: 'the version before' },
      ],
    })
    expect(request.presentation.warnings.join()).toContain('A person changed this call')
    expect((await refusal(approve(desk.linus, request))).code).toBe('not_eligible')
    expect((await refusal(approve(edsger, externalRequest))).code).toBe('stale_revision')
    await approve(edsger, request)
    expect((await refusal(consume(externalRequest.id, externalRequest.digest))).code).toBe(
      'stale_digest',
    )
    const { statement } = await consume(externalRequest.id, digest)
    expect(JSON.parse(statement)).toMatchObject({
      requestId: externalRequest.id,
      revision: 2,
      digest,
    })
  })

  test('is judged by the worker that the program named, and still asks everybody whom it asked before', async () => {
    const { service } = desk
    const judge = service.answerJudging
    judge(async (question) => ({
      ...(await judgedCall(service, question, { routing: routingOf(2) })),
      presented: null,
    }))
    const named = { tool: 'write_file', worker: 'scribe' }
    const externalRequest = await desk.ask({ ...named, input: { path: 'a.md', content: 'a' } })
    judge(async (question) => {
      expect(question).toMatchObject({ worker: 'scribe', byProgram: true, isEdit: true })
      expect(question).not.toHaveProperty('proven')
      const lax = { routing: routingOf(1), risk: 'low' as const }
      return { ...(await judgedCall(service, question, lax)), presented: null }
    })
    const input = { path: 'b.md', content: 'b' }
    await reviseRequest(service.ctx, desk.linus.caller, {
      request: externalRequest.id,
      digest: externalRequest.digest,
      revision: 1,
      input,
    })
    const request = await desk.read(externalRequest.id)
    expect(request).toMatchObject({ input, risk: 'medium', quorum: { text: '2 of platform' } })
  })
})

describe('a call of a program is not changed', () => {
  test('by its owner, with a stale digest, or when the program can make no other', async () => {
    const request = await desk.ask()
    const fixed = await desk.ask({ edits: 'off' })
    const attempts = [
      [() => revise(desk.grace, request), 'not_eligible'],
      [() => revise(desk.ada, request), 'not_found'],
      [
        () => revise(desk.linus, { ...request, digest: fixed.digest.replace(/.$/, 'x') }),
        'stale_digest',
      ],
      [() => revise(desk.linus, request, request.input as typeof changed), 'invalid_request'],
      [() => revise(desk.linus, fixed), 'edits_off'],
    ] as const
    for (const [attempt, code] of attempts) expect((await refusal(attempt())).code).toBe(code)
    for (const { digest, id } of [request, fixed]) {
      expect(await desk.read(id)).toMatchObject({
        revision: 1,
        digest,
        edits: id === fixed.id ? 'off' : 'revise',
      })
    }
  })

  test('where policy blocks the change', async () => {
    const { service } = desk
    service.answerJudging(async (question) => ({
      ...(await judgedCall(service, question, { routing: routingOf(1) })),
      presented: null,
    }))
    const request = await desk.ask({ tool: 'write_file', worker: 'scribe', input: { path: 'c' } })
    const reason = 'blocked by policy: zone infra'
    service.answerJudging((question) =>
      judgedCall(service, question, { verdict: 'blocked', reason }),
    )
    expect(await refusal(revise(desk.linus, request))).toMatchObject({ code: 'policy_blocked' })
    expect(await desk.read(request.id)).toMatchObject({ revision: 1, state: 'pending' })
  })

  test('and approved at the same moment: of two people, the second is told who was first', async () => {
    const request = await desk.ask()
    const both = await Promise.allSettled([revise(desk.linus, request), approve(edsger, request)])
    const codes = both.map((one) => (one.status === 'rejected' ? one.reason.code : null))
    expect([
      [null, 'stale_revision'],
      ['already_decided', null],
    ]).toContainEqual(codes)
    const { digest, revision, state } = await desk.read(request.id)
    expect([revision, state]).toEqual(codes[0] === null ? [2, 'pending'] : [1, 'approved'])
    const taken = await consume(request.id, digest).catch((error: { code: string }) => error.code)
    if (state === 'pending') expect(taken).toBe('conflict')
    else expect(taken).toMatchObject({ digest: request.digest })
  })
})
