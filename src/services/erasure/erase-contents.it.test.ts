import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { aside } from '#test/harness/aside.ts'
import { waitUntil } from '#test/harness/wait-until.ts'
import { exportOf } from '#test/harness/evidence/export-of.ts'
import { keepCovered, logSigner } from '#test/harness/fixtures/cover-audit.ts'
import { gatedWrites, type OneWrite } from '#test/harness/fixtures/gated-writes.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { parseBundle } from '#evidence/bundle/evidence-bundle.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { verifyLog } from '#evidence/verify/verify-log.ts'
import { exportBundle } from '../audit/export/export-bundle.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { requestContent } from '../requests/detail/request-content.ts'
import { revealSecret } from '../requests/detail/reveal-secret.ts'
import { cancelRun } from '../engine/lifecycle/cancel-run.ts'
import { getRun } from '../runs/reading/get-run.ts'
import { loadTranscript } from '../transcript/load-transcript.ts'
import { anHourLater, placesOf } from './erasure.fixture.ts'
import { eraseRequestContents, type ErasedContents } from './erase-contents.ts'

const { aWrite, onlyCall } = gatedWrites(() => desk)
const rights = 'rights:\n  activatePolicy: [operators]\n  readAudit: [operators]\n'
const masked = { revision: 1, kind: 'token', characters: 9 }
const notice = /^\[erased on \d{4}-\d\d-\d\d by olga\]$/i

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': deskConfig.replace('rights:\n', rights) })

const erase = (request: string, why = 'held an address'): Promise<ErasedContents> =>
  eraseRequestContents(desk.api, desk.people.olga.caller, { request, why })

/** An ended run that wrote `marker` into a file of that name, and texts about it. */
async function wrote(marker: string, content = `${marker} lives here\n`): Promise<OneWrite> {
  const path = `notes/${marker}.md`
  desk.say({
    text: `I write down ${marker}.`,
    calls: [{ tool: 'write_file', input: { path, content } }],
  })
  const { runId } = await desk.startTurn()
  const call = await onlyCall(runId)
  await desk.decide(desk.people.grace, call.requestId)
  await desk.execute(call.id)
  desk.say({ text: `${marker} is written down.` })
  await desk.turn(runId, 2)
  return { runId, path, call }
}

describe('erasing the contents of a request’s call', () => {
  test('requires the right activatePolicy, a reason, and an existing request', async () => {
    const { call } = await wrote('Arden')
    const input = { request: call.requestId, why: 'x' }
    const without = eraseRequestContents(desk.api, desk.people.grace.caller, input)
    expect((await refusal(without)).code).toBe('forbidden')
    expect((await refusal(erase(call.requestId, ' '))).code).toBe('invalid_request')
    expect((await refusal(erase('999'))).code).toBe('not_found')
    expect(await placesOf(desk.database.db, 'Arden lives here')).toContain('content.bytes')
  })

  test('leaves no byte of them in any column of any table', async () => {
    const { call } = await wrote('Briony')
    expect(await placesOf(desk.database.db, 'Briony')).toEqual(
      expect.arrayContaining([
        'content.bytes',
        'file_change.path',
        'request.title',
        'request_revision.facts',
        'run.output',
      ]),
    )
    const erased = await erase(call.requestId)
    expect(erased).toMatchObject({ requests: 1, kept: 0 })
    expect(erased.contents).toBeGreaterThan(4)
    expect(erased.bytes).toBeGreaterThan(100)
    await anHourLater(desk.database.db)
    expect(await placesOf(desk.database.db, 'Briony')).toEqual([])
  })

  test('is reported in every place that showed them, with only their hash and size', async () => {
    const { call, runId } = await wrote('Corin')
    const { grace } = desk.people
    const before = await getRequest(desk.api, grace.caller, { request: call.requestId })
    // A reader at that moment gets either the contents or the notice.
    await Promise.all([
      erase(call.requestId),
      ...Array.from({ length: 12 }, async () => {
        await getRequest(desk.api, grace.caller, { request: call.requestId })
        await loadTranscript(desk.database.db, runId)
      }),
    ])
    const after = await getRequest(desk.api, grace.caller, { request: call.requestId })
    expect(JSON.stringify(after)).not.toContain('Corin')
    expect(after).toMatchObject({
      title: 'Call write_file (contents erased)',
      input: { erased: expect.stringMatching(notice) },
      presentation: { type: 'text', content: expect.stringContaining('[erased on ') },
      agentReason: expect.stringMatching(notice),
      digest: before.digest,
      execution: before.execution,
      erased: { by: { id: desk.people.olga.id }, at: expect.any(Date) },
    })
    expect(after.presentation.digest).toBe(before.presentation.digest)
    const input = {
      of: 'input',
      revision: 1,
      hash: expect.stringMatching(/^sha256:/),
      bytes: expect.any(Number),
    }
    expect(after.erased?.contents).toContainEqual(input)
    const run = await getRun(desk.api, grace.caller, runId)
    expect(run.output).toMatch(notice)
    const transcript = await loadTranscript(desk.database.db, runId)
    expect(JSON.stringify(transcript)).not.toContain('Corin')
    expect(transcript.flatMap(({ calls }) => calls)[0]).toMatchObject({
      input: { erased: expect.stringMatching(notice) },
      result: { type: 'output', text: expect.stringMatching(notice) },
    })
    for (const ask of [
      () => requestContent(desk.api, grace.caller, { request: call.requestId }),
      () => revealSecret(desk.api, grace.caller, { request: call.requestId, ...masked }),
    ]) {
      const refused = await refusal(ask())
      expect(refused).toMatchObject({ code: 'not_found', facts: { erasedBy: expect.any(String) } })
      expect(refused.message).toMatch(/were erased on .* by olga$/i)
    }
  })

  test('is recorded, and its bundle and the whole log verify offline and say how much was erased', async () => {
    const { olga } = desk.people
    const { call } = await wrote('Duncan')
    const { contents, bytes } = await erase(call.requestId)
    await using _covering = keepCovered(desk.database.db)
    const made = await exportBundle(desk.api, olga.caller, {
      request: call.requestId,
      keysNote: formatStatementKeys(desk.api.verifier, logSigner),
      keyReadsAudit: true,
    })
    const bundle = parseBundle(JSON.stringify(made))
    expect(JSON.stringify(bundle)).not.toContain('Duncan')
    const recorded = bundle.events
      .map(({ event }) => JSON.parse(event))
      .find(({ type }) => type === 'content.erased')
    expect(recorded).toMatchObject({
      actor: { id: olga.id },
      requestId: call.requestId,
      detail: {
        of: 'contents',
        contents,
        bytes,
        kept: 0,
        requests: 1,
        parts: { input: expect.any(Number) },
      },
    })
    const verdicts = verifyBundle(bundle, logSigner.key, null)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(verdicts.map(() => 'holds'))
    expect(verdicts.flatMap(({ notes }) => notes).join()).toContain(
      `${countWords(contents, 'content')} erased`,
    )
    const { read } = await exportOf(desk.database.db, logSigner, desk.api.verifier)
    const ofLog = verifyLog({ read }, logSigner.key, null)
    expect(ofLog.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
    expect(ofLog.flatMap(({ notes }) => notes).join()).toMatch(/\d contents? erased/)
  })

  test('a second time finds nothing and records nothing', async () => {
    const { call, runId } = await wrote('Edgar')
    await erase(call.requestId)
    const events = await desk.auditTypes(runId)
    expect(await erase(call.requestId)).toEqual({ requests: 0, contents: 0, bytes: 0, kept: 0 })
    expect(await desk.auditTypes(runId)).toEqual(events)
  })

  test('leaves bytes that another request has too, and says how many', async () => {
    const same = 'the very same words of Flavius\n'.repeat(20)
    const one = await wrote('Flavius-1', same)
    const other = await wrote('Flavius-2', same)
    const { grace } = desk.people
    const erased = await erase(one.call.requestId)
    expect(erased.kept).toBeGreaterThan(0)
    await anHourLater(desk.database.db)
    const of = (request: string) => requestContent(desk.api, grace.caller, { request })
    expect((await of(other.call.requestId)).bytes.toString()).toBe(same)
    expect((await refusal(of(one.call.requestId))).code).toBe('not_found')
    expect((await erase(other.call.requestId)).kept).toBe(0)
    await anHourLater(desk.database.db)
    expect(await placesOf(desk.database.db, 'Flavius')).toEqual([])
  })
})

describe('erasing is refused', () => {
  const open = async (request: string): Promise<string> => {
    const refused = await refusal(erase(request))
    expect(refused.code).toBe('conflict')
    return refused.message
  }

  test('while a request is pending, approved and not started, or its run is active, with what to do', async () => {
    const { call, runId } = await aWrite()
    expect(await open(call.requestId)).toContain('Decide it or cancel its run first')
    await desk.decide(desk.people.grace, call.requestId)
    expect(await open(call.requestId)).toContain(`Run ${runId} has not ended`)
    await desk.execute(call.id)
    expect(await open(call.requestId)).toContain(`Run ${runId} has not ended`)
    expect(
      (await getRequest(desk.api, desk.people.grace.caller, { request: call.requestId })).erased,
    ).toBeNull()
    await desk.turn(runId, 2)
    expect(await erase(call.requestId)).toMatchObject({ requests: 1 })
  })

  test('while the call is being carried out, also after its run was cancelled', async () => {
    const { call, runId } = await aWrite()
    await desk.decide(desk.people.grace, call.requestId)
    desk.beforeExecute = async () => {
      await cancelRun(desk.api, desk.people.ada.caller, { runId })
      expect(await open(call.requestId)).toContain('being carried out')
    }
    await desk.execute(call.id)
    desk.beforeExecute = async () => undefined
    expect(await erase(call.requestId)).toMatchObject({ requests: 1 })
  })

  test('or done completely: interrupted in the middle, nothing is erased, and the next try erases all', async () => {
    const { call } = await wrote('Gratiano')
    const { db } = desk.database
    let ended: unknown
    await db.transaction().execute(async (tx) => {
      await sql`lock table delivery in access exclusive mode`.execute(tx)
      const going = aside(() => erase(call.requestId).catch((error: unknown) => error))
      await aside(() => waitUntil(async () => (await endWaiting()) > 0))
      ended = await going
    })
    expect(ended).toBeInstanceOf(Error)
    const kept = await getRequest(desk.api, desk.people.grace.caller, { request: call.requestId })
    expect(kept).toMatchObject({ erased: null, input: { content: 'Gratiano lives here\n' } })
    expect(await erase(call.requestId)).toMatchObject({ requests: 1 })
    await anHourLater(desk.database.db)
    expect(await placesOf(desk.database.db, 'Gratiano')).toEqual([])
  })

  /** Cancels the statements that wait for the locked table, and returns their number. */
  async function endWaiting(): Promise<number> {
    const { rows } = await sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from delivery%'
        and pid <> pg_backend_pid()
    `.execute(desk.database.db)
    return rows.length
  }
})
