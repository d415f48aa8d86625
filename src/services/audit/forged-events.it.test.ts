import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { proposeCall } from '#test/harness/fixtures/runs/waiting-call.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { deskConfig, openAgentDesk } from '#test/harness/fixtures/agent-desk.ts'
import { keepCovered } from '#test/harness/fixtures/cover-audit.ts'
import { addForgedEvent, hostileDocuments } from '#test/harness/fixtures/hostile-events.ts'
import { refusal } from '#test/harness/fixtures/refusal.ts'
import { activateFolder } from '../policy/activate-policy.ts'
import { commentRequest } from '../requests/comment-request.ts'
import { exportBundle } from './export/export-bundle.ts'
import { exportAudit } from './export-audit.ts'
import { readAudit } from './read-audit.ts'

const config = deskConfig.replace('rights:', 'rights:\n  readAudit: [operators]')
const desk = disposeAfterTests(await openAgentDesk())
await desk.activate({ 'countersign.yaml': config })
const { db } = desk.database
const { grace, linus, olga } = desk.people

let files = 0

/** A run whose call waits for a decision. */
async function pending(): Promise<{ readonly callId: string; readonly id: string }> {
  files += 1
  const input = { path: `notes/forged-${files}.md`, content: 'x' }
  const runId = await desk.start()
  const call = await proposeCall(desk, runId, 1, { tool: 'write_file', input })
  return { callId: call.id, id: call.requestId }
}

/** The events that the service wrote about a request, in their order. */
async function chainOf(requestId: string): Promise<{ type: string; sequence: number }[]> {
  const { rows } = await sql<{ type: string; sequence: number }>`
    select type, sequence from audit_event
    where request_id = ${requestId} and type <> 'system.started' order by at, id
  `.execute(db)
  return rows
}

const largest = 2_147_483_647

// Rules: security.md 29
describe('every step of a request succeeds after SQL has added an event to its chain', () => {
  const numbers: readonly (readonly [string, readonly (number | null)[]])[] = [
    ['no number', [null]],
    ['zero, or a number below it', [0, -1, -largest]],
    ['the largest number', [largest]],
    ['the number before the largest', [largest - 1]],
    ['the last number of a chain', [1_000_000]],
    ['numbers that the next events would have', [3, 5, 8, largest]],
    ['more numbers than one', [null, 2, 4, 1_000_001, largest]],
  ]

  test.each(numbers)('with %s', async (_, sequences) => {
    const { id, callId } = await pending()
    for (const sequence of sequences) {
      await sql`
        insert into audit_event (id, at, type, actor_type, request_id, sequence, document)
        values (gen_random_uuid(), clock_timestamp(), 'system.started', 'system', ${id},
          ${sequence}::int, 'x')
      `.execute(db)
    }
    await commentRequest(desk.api, linus.caller, { request: id, text: 'one' })
    await commentRequest(desk.api, linus.caller, { request: id, text: 'two' })
    await desk.decide(grace, id, { reason: 'looks right' })
    expect(await desk.execute(callId)).toEqual({ kind: 'done' })
    const chain = await chainOf(id)
    expect(chain.map(({ type }) => type)).toEqual([
      'request.opened',
      'request.commented',
      'request.commented',
      'decision.recorded',
      'permit.issued',
      'permit.consumed',
      'execution.started',
      'execution.finished',
    ])
    expect(new Set(chain.map(({ sequence }) => sequence)).size).toBe(chain.length)
  })
})

// Rules: security.md 29
describe('texts that SQL adds to the trail as events', () => {
  const runId = '0190d9d0-0000-7000-8000-000000000001'
  const shaped = {
    id: runId,
    at: '2026-01-01T00:00:00.000Z',
    type: 'run.started',
    actor: { type: 'system' },
    channel: 'system',
    detail: {},
  }
  const documents = [
    ...hostileDocuments,
    ...[
      { ...shaped, runId: 'no id' },
      { ...shaped, type: 'no.type' },
      { ...shaped, actor: 'x' },
      { ...shaped, detail: [] },
    ].map((event) => JSON.stringify(event)),
    JSON.stringify(shaped, null, 2),
  ]
  const reading = { keyReadsAudit: false } as const

  test('are left out of the list, which counts them, and are in an export as plain texts', async () => {
    const { id } = await pending()
    for (const [index, document] of documents.entries()) {
      const request = { id, sequence: 100 + index }
      await addForgedEvent(db, 'run.started', document, { request })
    }
    const filter = { ...reading, requestId: id, about: true, limit: 100 }
    const page = await readAudit(desk.api, olga.caller, filter)
    expect(page.documents).toHaveLength(1)
    expect(page.unreadable).toBe(documents.length)
    expect(page.about?.requests).toMatchObject([{ id }])

    const jsonl = await exportAudit(desk.api, olga.caller, { ...filter, format: 'jsonl' })
    const lines = await all(jsonl.lines)
    expect(lines).toHaveLength(documents.length + 1)
    const items = lines.map((line) => JSON.parse(line) as unknown)
    expect(items).toContain('x')
    expect(items).toContain(documents.at(-1))
    const csv = await exportAudit(desk.api, olga.caller, { ...filter, format: 'csv' })
    const rows = await all(csv.lines)
    expect(rows).toHaveLength(documents.length + 2)
    expect(rows.find((row) => row.includes(',run.started,,,,,,,,,,x,'))).toBeDefined()
  })

  test('stop no evidence about a request', async () => {
    const { id } = await pending()
    for (const [index, document] of documents.entries()) {
      const request = { id, sequence: 100 + index }
      await addForgedEvent(db, 'decision.recorded', document, { request })
    }
    await using _covering = keepCovered(db)
    const bundle = await exportBundle(desk.api, olga.caller, {
      ...reading,
      request: id,
      keysNote: '',
    })
    expect(bundle.events.length).toBeGreaterThan(documents.length)
  })

  test('neither hide that an invalid version was offered, nor stop the next valid one', async () => {
    const offer = async (text: string) => {
      await desk.write('countersign.yaml', text)
      return activateFolder(desk.api, desk.root)
    }
    const { rows: before } = await rejections()
    for (const document of documents) {
      await addForgedEvent(db, 'policy.rejected', document)
      expect((await refusal(offer(`${config}x: 1\n`))).code).toBe('invalid_request')
    }
    const { rows: after } = await rejections()
    expect(after.length - before.length).toBe(2 * documents.length)
    expect((await offer(`${config}# another\n`)).changed).toBe(true)
  })

  async function all(lines: AsyncIterable<string>): Promise<string[]> {
    const items: string[] = []
    for await (const line of lines) items.push(line)
    return items
  }

  async function rejections() {
    return sql`select id from audit_event where type = 'policy.rejected'`.execute(db)
  }
})
