import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { createTestDatabase } from '#test/harness/postgres.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { addKey, addPerson, type TestPerson } from '#test/harness/fixtures/people.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { createTestService } from '#test/harness/fixtures/test-service.ts'
import { rowOf } from '#test/harness/fixtures/rows.ts'
import type { Caller } from '../core/context.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { decideRequest } from '../decisions/decide-request.ts'
import type { AuditFilter } from './audit-filter.ts'
import { openExternal } from '../external/open-external.ts'
import { putSaltedText } from '../requests/words/salted-text.ts'
import { csvRow, exportAudit } from './export-audit.ts'
import { readAudit } from './read-audit.ts'

const database = disposeAfterTests(await createTestDatabase())
const service = await createTestService(database.db)
const ada = await addPerson(database.db, 'Ada', [])
const grace = await addPerson(database.db, 'Grace', ['platform'])
const auditor = await addPerson(database.db, 'Aud', ['auditors'], 'aud@example.com')
const run = await addRun(service, { startedBy: ada })
const request = await addRequest(service, run)
const secret = { team: 'security', quorum: { any: [[{ team: 'security', count: 1 }]] } }
const starter = await addPerson(database.db, 'Starter', [])
const other = await addRequest(service, await addRun(service, { startedBy: starter }), {
  routing: { ...secret, queue: 'security', quorumText: '1 of security' },
})
const body = {
  decision: 'approve',
  digest: request.digest,
  revision: 1,
  reason: 'my secret words',
}
await decideRequest(service.ctx, grace.caller, { request: request.id, body })

async function read(
  person: TestPerson,
  filter: AuditFilter & { limit?: number; cursor?: string } = {},
): Promise<JsonObject[]> {
  const input = { ...filter, keyReadsAudit: false }
  const { documents } = await readAudit(service.ctx, person.caller, input)
  return documents.map((document) => JSON.parse(document) as JsonObject)
}

function types(events: readonly JsonObject[]): unknown[] {
  return events.map((event) => event['type'])
}

describe('the trail', () => {
  test('is read whole by people with the right, newest first, byte for byte as stored', async () => {
    expect(types(await read(auditor))).toEqual([
      'audit.exported',
      'permit.issued',
      'decision.recorded',
      'request.opened',
      'request.opened',
    ])
    const { documents } = await readAudit(service.ctx, auditor.caller, {
      keyReadsAudit: false,
      type: 'permit.issued',
    })
    const stored = await rowOf(database.db, 'audit_event', { type: 'permit.issued' })
    expect(documents).toEqual([stored.document])
  })

  // Rules: security.md 22
  test('is read by others for the requests that they may see, and for no others', async () => {
    const events = await read(grace)
    expect(new Set(events.map((event) => event['requestId']))).toEqual(new Set([request.id]))
    const unseen = read(grace, { requestId: other.id })
    expect((await refusal(unseen)).code).toBe('not_found')
    expect(await read(auditor, { requestId: other.id })).toHaveLength(1)
  })

  test('is read whole by a key only when it holds the scope and its owner has the right', async () => {
    const count = async (key: { caller: Caller }, keyReadsAudit: boolean) =>
      (await readAudit(service.ctx, key.caller, { keyReadsAudit })).documents.length
    const ofAuditor = await addKey(database.db, auditor)
    expect(await count(ofAuditor, true)).toBe(6)
    expect(await count(ofAuditor, false)).toBe(0)
    // Anybody can make a key of their own with any scope.
    const ofGrace = await addKey(database.db, grace)
    expect(await count(ofGrace, true)).toBe(3)
    expect(await count(ofGrace, false)).toBe(3)
    const exporting = { format: 'jsonl', keyReadsAudit: true } as const
    const refused = await refusal(exportAudit(service.ctx, ofGrace.caller, exporting))
    expect(refused.code).toBe('forbidden')
  })

  test('describes the subjects of its events, with the words of people, only on request', async () => {
    const input = { keyReadsAudit: false, requestId: request.id }
    expect(await readAudit(service.ctx, grace.caller, input)).not.toHaveProperty('about')
    const { about } = await readAudit(service.ctx, grace.caller, { ...input, about: true })
    expect(about).toMatchObject({
      requests: [{ id: request.id, kind: 'tool_call' }],
      runs: [{ id: run.id, worker: 'scribe' }],
      words: [{ text: 'my secret words' }],
    })
    const mine = await readAudit(service.ctx, grace.caller, { keyReadsAudit: false, about: true })
    expect(mine.about?.requests.map(({ id }) => id)).toEqual([request.id])
  })

  test('records who read it whole, once in ten minutes, but not who read the events of their own requests', async () => {
    await read(auditor)
    await read(auditor)
    await read(grace)
    const readings = await read(auditor, { type: 'audit.exported' })
    expect(readings.filter((event) => event['actor'] !== undefined)).toMatchObject([
      { actor: { type: 'machine' }, detail: { format: 'page' } },
      { actor: { id: auditor.id }, detail: { format: 'page' } },
    ])
  })

  test('is filtered by type, actor, request, run and time', async () => {
    expect(types(await read(auditor, { type: 'decision.recorded' }))).toEqual(['decision.recorded'])
    for (const actor of [grace.id, 'Grace@example.com']) {
      expect(types(await read(auditor, { actor }))).toEqual(['permit.issued', 'decision.recorded'])
    }
    const people = await read(auditor, { actor: 'person' })
    expect(types(people)).toEqual(['audit.exported', 'permit.issued', 'decision.recorded'])
    expect(await read(auditor, { actor: 'nobody@example.com' })).toEqual([])
    expect(await read(auditor, { runId: run.id })).toHaveLength(3)
    const [newest] = await read(auditor)
    const at = String(newest?.['at'])
    expect(await read(auditor, { to: '2020-01-01T00:00:00Z' })).toEqual([])
    expect((await read(auditor, { from: at })).length).toBeGreaterThan(0)
  })

  test('is paged without gap or repeat', async () => {
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await readAudit(service.ctx, auditor.caller, {
        keyReadsAudit: false,
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      })
      ids.push(...page.documents.map((document) => (JSON.parse(document) as JsonObject)['id']))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(ids).toEqual((await read(auditor)).map((event) => event['id']))
  })

  test('contains no words of people, only their commitments', async () => {
    const { documents } = await readAudit(service.ctx, auditor.caller, { keyReadsAudit: false })
    expect(documents.join('\n')).not.toContain('secret words')
    const [decision] = await read(auditor, { type: 'decision.recorded' })
    const detail = decision?.['detail'] as JsonObject
    expect(detail['reason']).toMatch(/^sha256:[0-9a-f]{64}$/)
  })
})

describe('an export', () => {
  test('has every event as a line, oldest first, and is an event itself', async () => {
    const lines = await collect('jsonl')
    expect(lines).toHaveLength(7)
    expect((JSON.parse(lines.at(-1) ?? '') as JsonObject)['type']).toBe('audit.exported')
    expect(lines.every((line) => line.endsWith('\n'))).toBe(true)
    const [first] = lines
    expect((JSON.parse(first ?? '') as JsonObject)['type']).toBe('request.opened')
    const exported = await read(auditor, { type: 'audit.exported' })
    expect(exported[0]).toMatchObject({ actor: { id: auditor.id }, detail: { format: 'jsonl' } })
  })

  test('as CSV has cells that no spreadsheet computes', async () => {
    const person = await addPerson(database.db, '=cmd|calc', ['platform'], 'evil@example.com')
    const hostile = await addRequest(service, await addRun(service, { startedBy: ada }))
    await decideAs(service.ctx, person, hostile, { decision: 'deny' })
    const csv = (await collect('csv', { type: 'decision.recorded' })).join('')
    expect(csv.split('\r\n')[0]).toContain('at,type,actor.type')
    expect(csv).toContain(",'=cmd|calc,")
    expect(csv).not.toMatch(/(^|,)=cmd/m)
    const row = csvRow({ actor: { name: '＝cmd|calc' }, channel: '\n=cmd' })
    expect(row).toContain(`,'＝cmd|calc,"'\n=cmd",`)
  })

  // Rules: security.md 22
  test('is refused to people who may not read the whole trail', async () => {
    const attempt = exportAudit(service.ctx, grace.caller, { format: 'csv', keyReadsAudit: false })
    expect((await refusal(attempt)).code).toBe('forbidden')
  })

  async function collect(format: 'jsonl' | 'csv', filter: AuditFilter = {}): Promise<string[]> {
    const input = { ...filter, format, keyReadsAudit: false }
    const lines: string[] = []
    const { count, lines: written } = await exportAudit(service.ctx, auditor.caller, input)
    for await (const line of written) lines.push(line)
    expect(count).toBe(lines.length - (format === 'csv' ? 1 : 0))
    return lines
  }
})

describe('the trail, searched', () => {
  test('finds the events of requests by words of what was asked for; the words that were searched for are not recorded', async () => {
    const title = await rowOf(database.db, 'request', { id: request.id })
    const [word = ''] = title.title.split(' ')
    expect((await read(grace, { q: word })).map((event) => event['requestId'])).toContain(
      request.id,
    )
    expect(await read(grace, { q: `${word} no-such-word` })).toEqual([])
    expect(await read(grace, { q: '%' })).toEqual([])
    // Words of the reason, in any case, also together with those of the title.
    for (const q of ['Secret', `SECRET ${word}`]) {
      expect(new Set((await read(auditor, { q })).map((event) => event['requestId']))).toEqual(
        new Set([request.id]),
      )
    }
    expect(await read(grace, { q: 'secret other' })).toEqual([])
    const key = await addKey(database.db, auditor)
    await readAudit(service.ctx, key.caller, { keyReadsAudit: true, q: 'Jane Doe' })
    const [reading] = await read(auditor, { type: 'audit.exported' })
    expect(reading).toMatchObject({ detail: { filter: { searched: true } } })
    expect(JSON.stringify(reading)).not.toContain('Jane')
  })

  test.each(['UTC', 'Asia/Tokyo', 'America/New_York'])(
    'finds what happened outside of office hours, in %s',
    async (timeZone) => {
      const all = await read(auditor)
      for (const [begin, end] of [
        ['00:00', '12:00'],
        ['12:00', '23:59'],
      ] as const) {
        const found = await read(auditor, { outside: { begin, end, timeZone } })
        const expected = all.filter((event) =>
          isOutside(String(event['at']), { begin, end, timeZone }),
        )
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      }
    },
  )

  test('takes at most eight words, and counts a repeated one once', async () => {
    const words = Array.from({ length: 8 }, (_, n) => `word${n}`)
    expect(await read(grace, { q: [...words, ...words].join(' ') })).toEqual([])
    const refused = await refusal(read(grace, { q: [...words, 'another'].join(' ') }))
    expect(refused).toMatchObject({ code: 'invalid_request', facts: { field: 'q' } })
  })

  test('finds a reason even after any number of newer decisions and revisions without one', async () => {
    const reason = await putSaltedText(database.db, 'why it was edited')
    const columns = sql`title, digest, input_hash, facts, presentation_hash, presentation_digest,
      content_hash, content_type`
    await sql`
      insert into request_revision (request_id, revision, reason_hash, ${columns})
      select request_id, n, case n when 2 then ${reason} end, ${columns}
      from request_revision, generate_series(2, 2002) n where request_id = ${request.id}
    `.execute(database.db)
    await sql`
      insert into decision (id, request_id, revision, person_id, decision, digest, channel)
      select ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, ${request.id}::uuid, n,
        ${grace.id}::uuid, 'approve', ${request.digest}, 'web'
      from generate_series(2, 2001) n
    `.execute(database.db)
    for (const q of ['secret', 'edited']) {
      const events = await read(grace, { q })
      expect(new Set(events.map((event) => event['requestId']))).toEqual(new Set([request.id]))
    }
  })

  test('leaves out texts that were changed in the database, and logs a warning', async () => {
    const { reason_hash: hash } = await rowOf(database.db, 'decision', { revision: 1 })
    const bytes = Buffer.from('{"salt":"x","text":"other words"}')
    await database.db
      .updateTable('content')
      .set({ bytes, encoding: 'identity' })
      .where('hash', '=', hash ?? '')
      .execute()
    const warnings: object[] = []
    const log = { ...service.ctx.log, warn: (fields: object) => void warnings.push(fields) }
    const search = async (q: string) => {
      const filter = { q, keyReadsAudit: false }
      return (await readAudit({ ...service.ctx, log }, auditor.caller, filter)).documents
    }
    expect(await search('edited')).not.toEqual([])
    expect(await search('other words')).toEqual([])
    expect(warnings).toEqual([
      { count: 1, hash },
      { count: 1, hash },
    ])
  })
})

function isOutside(at: string, hours: { begin: string; end: string; timeZone: string }): boolean {
  const { timeZone } = hours
  const day = new Intl.DateTimeFormat('en', { timeZone, weekday: 'short' }).format(new Date(at))
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' }).format(
    new Date(at),
  )
  return day.startsWith('S') || time < hours.begin || time >= hours.end
}

// Rules: security.md 22
test('people with the right read the trail of a request that a program opened', async () => {
  const program = await addKey(database.db, ada)
  const call = { tool: 'deploy', input: {}, externalId: 'deploy-1' }
  const { requestId } = await openExternal(service.ctx, program.caller, call)
  expect(types(await read(auditor, { requestId }))).toEqual(['request.opened'])
})

test('calls a question by its title, as the inbox does', async () => {
  const asked = await addRequest(service, run, { position: 2 })
  await sql`update request set kind = 'question', title = 'Ask: Which file?'
    where id = ${asked.id}`.execute(database.db)
  await sql`update request_revision set effect = 'Answer: Which file?'
    where request_id = ${asked.id}`.execute(database.db)
  const input = { keyReadsAudit: false, requestId: asked.id, about: true }
  const { about } = await readAudit(service.ctx, grace.caller, input)
  expect(about?.requests).toMatchObject([{ id: asked.id, effect: 'Ask: Which file?' }])
})
