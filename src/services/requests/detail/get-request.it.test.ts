import { describe, expect, test } from 'vitest'
import type { Routing } from '#domain/deciding/judgement.ts'
import type { Quorum } from '#domain/requests/request.ts'
import { addRequest } from '#test/harness/fixtures/gated-run.ts'
import { addPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { rowsOf, setRows } from '#test/harness/fixtures/rows.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { commentRequest } from '../comment-request.ts'
import { getRequest } from './get-request.ts'
import { requestContent } from './request-content.ts'
import {
  useRequestDesk,
  database,
  service,
  ada,
  grace,
  linus,
  edsger,
  root,
  child,
  first,
  second,
  third,
} from '../requests.fixture.ts'

useRequestDesk()

describe('one request', () => {
  test('has everything its page shows, with the reason why its reader may not decide', async () => {
    const detail = await getRequest(service.ctx, ada.caller, { request: first.id })
    expect(detail).toMatchObject({
      id: first.id,
      state: 'pending',
      kind: 'tool_call',
      queue: 'platform',
      input: first.input,
      worker: 'scribe',
      mode: 'prompt',
      toolCallId: 'call-1-1',
      turn: 1,
      batch: {
        position: 1,
        size: 2,
        siblings: [{ requestId: second.id, state: 'pending', verdict: 'ask', tool: 'write_file' }],
      },
      lineage: [{ runId: root.id, worker: 'scribe', startedBy: { id: ada.id, name: 'Ada' } }],
      quorum: { counted: [], missing: [{ team: 'platform', count: 1 }], text: '1 of platform' },
      eligibility: { canDecide: false, reason: "you can't decide: you are not in platform" },
      eligiblePeople: [{ name: 'Grace' }, { name: 'Linus' }],
      allowedDecisions: ['approve', 'deny'],
      allowedScopes: ['once', 'run', 'path'],
      decisions: [],
      previous: [],
      execution: { state: 'not_started' },
      decidedAt: null,
      claim: null,
    })
    expect(detail.presentation.digest).toBe(first.presentationDigest)
    expect(detail.eligibility.canDecide).toBe(false)
    const own = await getRequest(service.ctx, grace.caller, { request: third.id })
    expect(own.eligibility.reason).toBe("you can't decide: you started this run")
    expect(own.lineage.map((run) => run.runId)).toEqual([root.id, child.id])
    expect(own.eligiblePeople.map((person) => person.name)).toEqual(['Linus'])
  })

  test('names the places of its quorum that nobody could fill after a change by its reader, for everybody who may change it', async () => {
    let position = 50
    const missingFor = async (quorum: Quorum, person = grace, routing: Partial<Routing> = {}) => {
      position += 1
      const options = { position, quorum, routing: { edits: 'revise', ...routing } as const }
      const { id } = await addRequest(service, root, options)
      return (await getRequest(service.ctx, person.caller, { request: id })).missingAfterEdit
    }
    const one = { any: [[{ team: 'platform', count: 1 }]] }
    const two = { any: [[{ team: 'platform', count: 2 }]] }
    // Linus can still decide.
    expect(await missingFor(one)).toEqual([])
    expect(await missingFor(two)).toEqual([{ team: 'platform', count: 1 }])
    expect(await missingFor(two, grace, { edits: 'approve' })).toEqual([])
    expect(await missingFor(two, grace, { selfApproval: true })).toEqual([])
    // Ada cannot decide, so her edit removes no one who can.
    expect(await missingFor(two, ada)).toEqual([])
  })

  test('is found by its number, and its version changes with every step', async () => {
    const before = await getRequest(service.ctx, grace.caller, { request: first.id })
    const again = await getRequest(service.ctx, grace.caller, { request: String(before.number) })
    expect(again).toEqual(before)
    await commentRequest(service.ctx, linus.caller, {
      request: first.id,
      text: 'is this <b>ok</b>?',
    })
    const after = await getRequest(service.ctx, grace.caller, { request: first.id })
    expect(after.version).not.toBe(before.version)
    expect(after.comments).toMatchObject([
      { text: 'is this <b>ok</b>?', person: { name: 'Linus' } },
    ])
  })

  test('that was decided shows by whom, how and why, also after those people have left', async () => {
    const request = await addRequest(service, root, { turn: 3 })
    const leaver = await addPerson(database.db, 'Leaver', ['platform'])
    await decideAs(service.ctx, leaver, request, { reason: 'as agreed' })
    await database.db.deleteFrom('team_member').where('person_id', '=', leaver.id).execute()
    const detail = await getRequest(service.ctx, grace.caller, { request: request.id })
    expect(detail).toMatchObject({
      state: 'approved',
      decidedBy: { name: 'Leaver' },
      decisions: [{ person: { name: 'Leaver' }, decision: 'approve', reason: 'as agreed' }],
      quorum: { counted: [{ team: 'platform', person: { name: 'Leaver' } }], missing: [] },
      allowedDecisions: [],
      eligibility: { canDecide: false },
      eligiblePeople: [],
    })
  })

  // Rules: product.md 18
  test('that a quorum approved shows who filled its places, without people who had left by then, and with those who changed teams later', async () => {
    const quorum = { any: [[{ team: 'platform', count: 2 }]] }
    const request = await addRequest(service, root, { turn: 4, quorum })
    const people = []
    for (const name of ['Gone before', 'Stayed', 'Changed after']) {
      people.push(await addPerson(database.db, name, ['platform']))
    }
    const [gone, stayed, changed] = people
    await decideAs(service.ctx, gone!, request)
    await database.db.deleteFrom('team_member').where('person_id', '=', gone!.id).execute()
    await decideAs(service.ctx, stayed!, request)
    await decideAs(service.ctx, changed!, request)
    const counted = async () => {
      const { quorum } = await getRequest(service.ctx, grace.caller, {
        request: request.id,
      })
      return [quorum.counted.map(({ person }) => person.name).toSorted(), quorum.missing]
    }
    expect(await counted()).toEqual([['Changed after', 'Stayed'], []])
    await setRows(database.db, 'team_member', { person_id: changed!.id }, { team: 'security' })
    expect(await counted()).toEqual([['Changed after', 'Stayed'], []])
  })

  test('has every byte that will be written, and reading them is recorded', async () => {
    const content = await requestContent(service.ctx, grace.caller, { request: first.id })
    expect(content.bytes.toString()).toBe(JSON.stringify('hello\n'))
    expect(content.contentType).toBe('text/plain')
    const events = await rowsOf(
      database.db,
      'audit_event',
      { request_id: first.id, type: 'content.revealed' },
      'actor_id',
    )
    expect(events).toEqual([{ actor_id: grace.id }])
    const unseen = requestContent(service.ctx, edsger.caller, { request: first.id })
    expect((await refusal(unseen)).code).toBe('not_found')
  })
})
