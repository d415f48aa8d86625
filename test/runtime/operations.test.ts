import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '#runtime/processes/free-port.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import { Installation } from '../harness/installation/installation.ts'
import type { Answer, TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

const marker = 'hostile-7f3a-marker'
const many = 24
const within = { withinMs: 120_000, everyMs: 50 }

const config = `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams:
  platform: { members: [grace@example.com] }
queues: { platform: { team: platform } }
defaults: { queue: platform }
rights: { readAudit: [platform] }
`

/** A worker that asks for these writes, and reads a file whose name nobody should see in a log. */
function writer(name: string, paths: readonly string[]): Record<string, string> {
  const calls = paths.map((path) => ({ tool: 'write_file', input: { path, content: marker } }))
  const read = { tool: 'read_file', input: { path: `notes/${marker}.md` } }
  const script = { turns: [{ text: marker, calls: [...calls, read] }, { text: marker }] }
  return {
    [`workers/${name}.md`]: `---
name: ${name}
description: Writes
model: script:scripts/${name}.yaml
zones:
  - { name: notes, root: ./notes, mode: rw, approval: { read: preApproved, write: ask } }
---
${marker}
`,
    [`scripts/${name}.yaml`]: JSON.stringify(script),
  }
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly service: string
}

let installation: Installation
let collector: WebhookReceiver
let metricsPort: number
let ada: TestSession
let grace: TestSession

beforeAll(async () => {
  collector = await openWebhookReceiver()
  metricsPort = await findFreePort()
  installation = await Installation.start({
    'countersign.yaml': config,
    ...writer('one', [`notes/${marker}-new.md`]),
    ...writer(
      'many',
      Array.from({ length: many }, (_, index) => `notes/${index}.md`),
    ),
    'notes/readme.md': 'x\n',
    '.env': `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${collector.port}
COUNTERSIGN_WORKER_METRICS=127.0.0.1:${metricsPort}
`,
  })
  ada = await installation.signIn('ada@example.com')
  grace = await installation.signIn('grace@example.com')
}, 240_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  await collector?.[Symbol.asyncDispose]()
}, 180_000)

// Rules: security.md 25
test('a decision is one trace from the answer to the tool, found by the id of its run, without a word of the call', async () => {
  const runId = await startRun('one')
  const [request] = await pendingOf(runId, 1)
  expect((await approve(String(request?.['id']))).status).toBe(200)
  await untilCompleted(runId)
  const traceId = runId.replaceAll('-', '')
  const wanted = [
    'POST /v1/runs',
    'POST /v1/requests/:id/decisions',
    'signal decided',
    'workflow schedules executeCall',
    'activity executeCall',
    'activity takeTurn',
    'tool write_file',
  ]
  await waitUntil(() => {
    const names = new Set(spansOf(collector, traceId).map(({ name }) => name))
    return wanted.every((name) => names.has(name)) || `only ${[...names].join(', ')}`
  }, within)
  const spans = spansOf(collector, traceId)
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const above = (name: string): string[] => {
    const names: string[] = []
    let span = spans.find((one) => one.name === name)
    while (span !== undefined) {
      names.push(span.name)
      span = byId.get(span.parentSpanId ?? '')
    }
    return names
  }
  expect(above('signal decided')).toEqual([
    'signal decided',
    'POST /v1/requests/:id/decisions',
    'run',
  ])
  expect(above('tool write_file')).toEqual([
    'tool write_file',
    'activity executeCall',
    'workflow schedules executeCall',
    'run',
  ])
  expect(new Set(spans.map(({ service }) => service)).size).toBe(2)
  const all = collector.received.map(({ body }) => body).join('\n')
  expect(all).toContain(String(request?.['callId']))
  expect(all).not.toContain(marker)
})

// Rules: security.md 25
test('the Temporal worker counts turns and executions, and neither it nor a log repeats what a call says', async () => {
  const { text } = await metricsOfWorker()
  expect(text).toMatch(
    /activity_duration_seconds_count\{activity="takeTurn",outcome="completed"\} [2-9]/,
  )
  expect(text).toMatch(
    /activity_duration_seconds_count\{activity="executeCall",outcome="completed"\}/,
  )
  expect(text).toMatch(/countersign_executions_total\{state="succeeded"\} 1/)
  expect(text).not.toContain(marker)
  for (const name of ['api', 'temporal-worker']) {
    const log = await readFile(join(installation.dataDir, 'logs', `${name}.log`), 'utf8')
    expect(log).toContain('serves')
    expect(log, name).not.toContain(marker)
  }
})

test('a stopping API answers and records a decision, or does neither: none is lost behind a 200', async () => {
  const runId = await startRun('many')
  const requests = await pendingOf(runId, many)
  const stream = await grace.open('/v1/events')
  const gone = await installation.pidOf('api')
  const answers = requests.map(async ({ id }, index): Promise<Answer | null> => {
    if (index === 3) process.kill(gone, 'SIGTERM')
    return approve(String(id)).catch(() => null)
  })
  const answered = await Promise.all(answers)
  // The stream ends with the process, and has said when to come back.
  const said = await stream.text()
  expect(said).toMatch(/^retry: 2000$/m)
  await installation.untilBack('api', gone)
  grace = await installation.signIn('grace@example.com')
  ada = await installation.signIn('ada@example.com')
  const recorded = await statesOf(requests.map(({ id }) => String(id)))
  for (const [index, answer] of answered.entries()) {
    if (answer?.status === 200) expect(recorded[index]).toBe('approved')
  }
  expect(answered.filter((answer) => answer !== null && answer.status >= 500)).toEqual([])
  const open = requests.filter((_, index) => recorded[index] === 'pending')
  for (const { id } of open) expect((await approve(String(id))).status).toBe(200)
  await untilCompleted(runId)
})

async function startRun(worker: string): Promise<string> {
  const { status, body } = await ada.post('/v1/runs', { worker, input: marker })
  expect(status).toBe(201)
  return String(body['id'])
}

async function pendingOf(runId: string, count: number): Promise<Record<string, unknown>[]> {
  let items: Record<string, unknown>[] = []
  await waitUntil(async () => {
    const { body } = await grace.get(`/v1/requests?state=pending&runId=${runId}&limit=200`)
    items = body['items'] as Record<string, unknown>[]
    return items.length === count || `${items.length} wait`
  }, within)
  return items
}

async function approve(id: string): Promise<Answer> {
  const { body } = await grace.get(`/v1/requests/${id}`)
  const decision = { decision: 'approve', digest: body['digest'], revision: 1, reason: marker }
  return grace.post(`/v1/requests/${id}/decisions`, decision)
}

async function statesOf(ids: readonly string[]): Promise<unknown[]> {
  return Promise.all(ids.map(async (id) => (await grace.get(`/v1/requests/${id}`)).body['state']))
}

async function untilCompleted(runId: string): Promise<void> {
  await waitUntil(async () => {
    const { body } = await ada.get(`/v1/runs/${runId}`)
    return body['state'] === 'completed' || `the run is ${String(body['state'])}`
  }, within)
}

async function metricsOfWorker(): Promise<{ text: string }> {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  expect(response.status).toBe(200)
  return { text: await response.text() }
}

function spansOf(of: WebhookReceiver, traceId: string): Span[] {
  return of.received
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const named = resource.attributes.find(({ key }: { key: string }) => key === 'service.name')
      const service = String(named?.value.stringValue)
      return scopeSpans.flatMap(({ spans }: { spans: Span[] }) =>
        spans.map((span) => ({ ...span, service })),
      )
    })
    .filter((span: Span) => span.traceId === traceId)
}
