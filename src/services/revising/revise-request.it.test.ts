import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '#domain/json/json.ts'
import {
  addRequest,
  testRouting,
  type RequestOptions,
  type TestRequest,
} from '#test/harness/fixtures/gated-run.ts'
import type { TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { judgedCall } from '#test/harness/fixtures/judged-call.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { reviseRequest } from './revise-request.ts'
import {
  ada,
  database,
  edsger,
  grace,
  linus,
  run,
  service,
  useDecisionDesk,
} from '../decisions/decisions.fixture.ts'

useDecisionDesk()
beforeEach(async () => {
  service.answerJudging(async (question) => judgedCall(service, question, {}))
})

const edited = { path: 'notes/1.md', content: 'edited\n' }

function revise(person: TestPerson, request: TestRequest, more: JsonObject = {}) {
  const { digest, id } = request
  const named = { request: id, input: edited, digest, revision: 1, reason: 'a typo' }
  return reviseRequest(service.ctx, person.caller, { ...named, ...more })
}

function asking(options: RequestOptions = {}): Promise<TestRequest> {
  return addRequest(service, run, options)
}

function approve(person: TestPerson, request: TestRequest, digest: string, revision: number) {
  return decideAs(service.ctx, person, { id: request.id, digest, revision })
}

// Rules: product.md 11
describe('a changed call', () => {
  test('is the next revision with its own digest and presentation, and both revisions are kept', async () => {
    const request = await asking()
    const answer = await revise(grace, request)
    expect(answer.revision).toBe(2)
    const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(detail).toMatchObject({
      revision: 2,
      digest: answer.digest,
      input: edited,
      title: 'Write the edited note',
      revisions: [
        { revision: 1, digest: request.digest, editor: null },
        { revision: 2, digest: answer.digest, editor: { name: 'Grace' }, reason: 'a typo' },
      ],
    })
    expect(detail.presentation.content).toBe(JSON.stringify(edited))
  })

  test('is not decided by the old digest, and its votes are discarded', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await asking({ quorum })
    await approve(linus, request, request.digest, 1)
    const { digest } = await revise(grace, request)
    expect((await refusal(approve(linus, request, request.digest, 1))).code).toBe('stale_revision')
    expect((await refusal(approve(linus, request, request.digest, 2))).code).toBe('stale_digest')
    expect(await approve(linus, request, digest, 2)).toMatchObject({ state: 'pending' })
    expect(await approve(grace, request, digest, 2)).toMatchObject({ state: 'approved' })
  })

  test('under `approve` may be decided by its editor, whose vote is marked edited', async () => {
    const request = await asking()
    const { digest } = await revise(grace, request)
    expect(await approve(grace, request, digest, 2)).toMatchObject({ state: 'approved' })
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.decisions).toMatchObject([{ person: { name: 'Grace' }, edited: true }])
  })

  test('marks the vote of everybody who edited one of its revisions, whoever edited last', async () => {
    const request = await asking()
    const once = await revise(grace, request)
    service.answerJudging(async (question) => judgedCall(service, question, {}))
    const twice = await reviseRequest(service.ctx, linus.caller, {
      request: request.id,
      input: { ...edited, content: 'edited twice\n' },
      digest: once.digest,
      revision: 2,
    })
    expect(await approve(grace, request, twice.digest, 3)).toMatchObject({ state: 'approved' })
    const detail = await getRequest(service.ctx, linus.caller, { request: request.id })
    expect(detail.decisions).toMatchObject([{ person: { name: 'Grace' }, edited: true }])
  })

  test('under `revise` has everybody who edited it behind it, even if they edited it before that setting', async () => {
    const request = await asking()
    const once = await revise(grace, request)
    service.answerJudging(async (question) =>
      judgedCall(service, question, { routing: testRouting({ edits: 'revise' }) }),
    )
    const twice = await reviseRequest(service.ctx, linus.caller, {
      request: request.id,
      input: { ...edited, content: 'edited twice\n' },
      digest: once.digest,
      revision: 2,
    })
    for (const editor of [grace, linus]) {
      const own = await refusal(approve(editor, request, twice.digest, 3))
      expect(own.message).toContain('you edited this call')
    }
  })

  test('under `revise` has its editor behind it, and another person decides', async () => {
    const request = await asking({ routing: { edits: 'revise' } })
    const { digest } = await revise(grace, request)
    const own = await refusal(approve(grace, request, digest, 2))
    expect(own.message).toContain('you edited this call')
    expect(await approve(linus, request, digest, 2)).toMatchObject({ state: 'approved' })
  })

  test('at high risk always has its editor behind it, also when only the change is of high risk', async () => {
    const request = await asking()
    service.answerJudging(async (question) =>
      judgedCall(service, question, { risk: 'high', routing: testRouting() }),
    )
    await revise(grace, request)
    const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(detail.risk).toBe('high')
    expect(detail.eligibility).toEqual({
      canDecide: false,
      reason: "you can't decide: you edited this call",
    })
  })

  test('that policy routes to a stricter quorum needs that quorum', async () => {
    const request = await asking()
    const quorum = {
      any: [
        [
          { team: 'platform', count: 1 },
          { team: 'security', count: 1 },
        ],
      ],
    }
    service.answerJudging(async (question) =>
      judgedCall(service, question, { routing: testRouting({ quorum }) }),
    )
    const { digest } = await revise(grace, request)
    expect(await approve(linus, request, digest, 2)).toMatchObject({ state: 'pending' })
    expect(await approve(edsger, request, digest, 2)).toMatchObject({ state: 'approved' })
  })

  test('is recorded with its editor and both digests', async () => {
    const request = await asking()
    const { digest } = await revise(grace, request)
    const row = await rowOf(database.db, 'audit_event', {
      request_id: request.id,
      type: 'request.revised',
    })
    expect(JSON.parse(row.document)).toMatchObject({
      actor: { id: grace.id },
      digest,
      detail: { revision: 2, from: request.digest },
    })
  })
})

// Rules: product.md 11
describe('a change is refused, and nothing changes,', () => {
  async function expectRefused(request: TestRequest, attempt: Promise<unknown>, code: string) {
    expect((await refusal(attempt)).code).toBe(code)
    const { revision } = await rowOf(database.db, 'request', { id: request.id })
    expect(revision).toBe(1)
  }

  test('when policy blocks it', async () => {
    const request = await asking()
    service.answerJudging(async (question) => judgedCall(service, question, { verdict: 'blocked' }))
    await expectRefused(request, revise(grace, request), 'policy_blocked')
  })

  test('when the tool would not accept it, or it makes no difference', async () => {
    const request = await asking()
    service.answerJudging(async (question) => judgedCall(service, question, { verdict: 'error' }))
    await expectRefused(request, revise(grace, request), 'invalid_request')
    service.answerJudging(async (question) => judgedCall(service, question, {}))
    await expectRefused(
      request,
      revise(grace, request, { input: request.input }),
      'invalid_request',
    )
  })

  test('when no host of the workspace answers', async () => {
    const request = await asking()
    const fresh = await createTestService(database.db)
    const attempt = reviseRequest(fresh.ctx, grace.caller, {
      request: request.id,
      input: edited,
      digest: request.digest,
      revision: 1,
    })
    await expectRefused(request, attempt, 'workspace_unreachable')
  })

  test('where the queue allows no edits, now or for the changed call', async () => {
    const off = await asking({ routing: { edits: 'off' } })
    await expectRefused(off, revise(grace, off), 'edits_off')
    const request = await asking({ position: 2 })
    service.answerJudging(async (question) =>
      judgedCall(service, question, { routing: testRouting({ edits: 'off' }) }),
    )
    await expectRefused(request, revise(grace, request), 'edits_off')
  })

  test('by somebody behind the request, with a stale digest, or without one', async () => {
    const request = await asking()
    await expectRefused(request, revise(ada, request), 'not_eligible')
    await expectRefused(request, revise(grace, request, { digest: 'sha256:0' }), 'stale_digest')
    await expectRefused(request, revise(grace, request, { revision: 2 }), 'stale_revision')
    await expectRefused(request, revise(grace, request, { digest: '' }), 'digest_required')
  })

  test('when somebody decided while it was judged', async () => {
    const request = await asking()
    service.answerJudging(async (question) => {
      await approve(linus, request, request.digest, 1)
      return judgedCall(service, question, {})
    })
    await expectRefused(request, revise(grace, request), 'already_decided')
  })
})
