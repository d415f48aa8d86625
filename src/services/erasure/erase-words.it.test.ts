import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { keepCovered, logSigner } from '#test/harness/fixtures/cover-audit.ts'
import { gatedWrites, type OneWrite } from '#test/harness/fixtures/gated-writes.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { parseBundle } from '#evidence/bundle/evidence-bundle.ts'
import { formatStatementKeys } from '#evidence/bundle/statement-keys.ts'
import { verifyBundle } from '#evidence/verify/verify-bundle.ts'
import { exportBundle } from '../audit/export/export-bundle.ts'
import { commentRequest } from '../requests/comment-request.ts'
import { getRequest } from '../requests/detail/get-request.ts'
import { listSavedViews, saveView } from '../access/saved-views.ts'
import { erasePersonWords, eraseRequestWords } from './erase-words.ts'

const { aWrite, onlyCall } = gatedWrites(() => desk)
const rights = 'rights:\n  activatePolicy: [operators]\n  readAudit: [operators]\n'

const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': deskConfig.replace('rights:\n', rights) })
const first = await talkedAbout()
const second = await talkedAbout()

/** A call on which two people commented and which one denied; the model has read the denial. */
async function talkedAbout(): Promise<OneWrite> {
  const write = await aWrite()
  const { ada, grace } = desk.people
  const request = write.call.requestId
  await commentRequest(desk.api, grace.caller, { request, text: 'Jane Doe called about this' })
  await commentRequest(desk.api, ada.caller, { request, text: 'It is for the notes' })
  const reason = 'Jane Doe does not want it'
  await desk.decide(grace, request, { decision: 'deny', then: 'continue', reason })
  await desk.execute(write.call.id)
  return write
}

const wordsOf = async ({ call }: OneWrite) => {
  const request = await getRequest(desk.api, desk.people.grace.caller, { request: call.requestId })
  return {
    comments: request.comments.map(({ text }) => text),
    reasons: request.decisions.map(({ reason }) => reason),
  }
}

/** The number of stored contents with these words, those in removal included. */
async function storedWith(words: string): Promise<number> {
  const rows = await desk.database.db.selectFrom('content').selectAll().execute()
  const kept = await desk.database.db.selectFrom('removed_content').selectAll().execute()
  const texts = [...rows, ...kept].map(({ encoding, bytes }) =>
    (encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes).toString('utf8'),
  )
  return texts.filter((text) => text.includes(words)).length
}

describe('erasing the words of people', () => {
  test('requires the right activatePolicy, a reason, and an existing request and person', async () => {
    const request = first.call.requestId
    const { grace, olga } = desk.people
    const without = eraseRequestWords(desk.api, grace.caller, { request, why: 'x' })
    expect((await refusal(without)).code).toBe('forbidden')
    const silent = eraseRequestWords(desk.api, olga.caller, { request, why: ' ' })
    expect((await refusal(silent)).code).toBe('invalid_request')
    const unknown = eraseRequestWords(desk.api, olga.caller, { request: '999', why: 'x' })
    expect((await refusal(unknown)).code).toBe('not_found')
    const nobody = erasePersonWords(desk.api, olga.caller, { person: 'no@example.com', why: 'x' })
    expect((await refusal(nobody)).code).toBe('not_found')
    expect((await wordsOf(first)).comments).toContain('It is for the notes')
  })

  test('about one request leaves in their place when they were written and by whom, and nothing else', async () => {
    const request = first.call.requestId
    const why = 'names a customer'
    const { olga } = desk.people
    expect(await eraseRequestWords(desk.api, olga.caller, { request, why })).toEqual({
      requests: 1,
      texts: 3,
    })
    const gone = expect.stringMatching(/^\[erased on \d{4}-\d\d-\d\d by olga\]$/i) as string
    expect(await wordsOf(first)).toEqual({ comments: [gone, gone], reasons: [gone] })
    expect((await onlyCall(first.runId)).text).toBe('[what a person said here was erased]')
    expect((await wordsOf(second)).comments).toEqual([
      'Jane Doe called about this',
      'It is for the notes',
    ])
    expect(await eraseRequestWords(desk.api, olga.caller, { request, why })).toEqual({
      requests: 0,
      texts: 0,
    })
  })

  test('of one person, everywhere: no byte of them is stored, and the words of others stay', async () => {
    const { olga, grace, linus } = desk.people
    const view = { page: 'inbox', name: 'Jane Doe', query: 'q=Jane' } as const
    await saveView(desk.api, grace.caller, view)
    await saveView(desk.api, linus.caller, view)
    const body = { person: 'grace@example.com', why: 'asked for it' }
    expect(await erasePersonWords(desk.api, olga.caller, body)).toEqual({ requests: 1, texts: 2 })
    expect(await listSavedViews(desk.api, grace.caller)).toEqual([])
    expect(await listSavedViews(desk.api, linus.caller)).toMatchObject([view])
    expect((await wordsOf(second)).comments[1]).toBe('It is for the notes')
    expect((await onlyCall(second.runId)).text).not.toContain('Jane')
    expect(await storedWith('Jane Doe')).toBe(0)
    expect(await storedWith('asked for it')).toBe(1)
  })

  test('is recorded with their hashes, and evidence verifies and says how much was erased', async () => {
    const { olga } = desk.people
    const { requestId } = second.call
    await using _covering = keepCovered(desk.database.db)
    const made = await exportBundle(desk.api, olga.caller, {
      request: requestId,
      keysNote: formatStatementKeys(desk.api.verifier, logSigner),
      keyReadsAudit: true,
    })
    const bundle = parseBundle(JSON.stringify(made))
    expect(JSON.stringify(bundle)).not.toContain('Jane Doe')
    const erased = bundle.events.find(({ event }) => event.includes('content.erased'))?.event ?? ''
    expect(JSON.parse(erased)).toMatchObject({
      type: 'content.erased',
      actor: { id: olga.id },
      requestId,
      detail: { of: 'words', hashes: [expect.any(String), expect.any(String)] },
    })
    const verdicts = verifyBundle(bundle, logSigner.key, null)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(verdicts.map(() => 'holds'))
    expect(verdicts.flatMap(({ notes }) => notes).join()).toContain('2 texts erased')
  })
})
