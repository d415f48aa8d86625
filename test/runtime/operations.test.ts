import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '#runtime/processes/free-port.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import { Installation } from '../harness/installation/installation.ts'
import { startRun } from '../harness/installation/start-run.ts'
import type { Answer, TestSession } from '../harness/installation/test-session.ts'
import { waitUntil } from '../harness/wait-until.ts'

const marker = 'hostile-7f3a-marker'
const many = 24
const within = { withinMs: 120_000, everyMs: 50 }

const notingServer = fileURLToPath(
  new URL('../harness/fixtures/mcp/noting-server.ts', import.meta.url),
)
const config = `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams:
  platform: { members: [grace@example.com] }
queues: { platform: { team: platform } }
defaults: { queue: platform }
rights: { readAudit: [platform] }
mcpServers:
  noting: { command: ${process.execPath}, args: ${JSON.stringify([notingServer, 'journal', 'says'])}, tools: { look: preApproved } }
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
  readonly kind: number
  readonly status: { readonly code: number }
  readonly links: readonly { readonly traceId: string }[]
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
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
})

// Rules: security.md 25
test('a decision is one trace from the answer to the tool, found by the id of its run, without a word of the call', async () => {
  const runId = await startRun(ada, { worker: 'one', input: marker })
  const [request] = await pendingOf(runId, 1)
  expect((await approve(String(request?.['id']))).status).toBe(200)
  await untilCompleted(runId)
  const traceId = runId.replaceAll('-', '')
  const above = (name: string): string[] => {
    const spans = spansOf(collector, traceId)
    const byId = new Map(spans.map((span) => [span.spanId, span]))
    const names: string[] = []
    let span = spans.find((one) => one.name === name)
    while (span !== undefined) {
      names.push(span.name)
      span = byId.get(span.parentSpanId ?? '')
    }
    return names
  }
  const expected = [
    'POST /v1/runs',
    'POST /v1/requests/:id/decisions',
    'signal decided',
    'workflow schedules executeCall',
    'activity executeCall',
    'activity takeTurn',
    'execute_tool read_file',
    'execute_tool write_file',
  ]
  // A span is sent after those within it.
  await waitUntil(() => {
    const names = spansOf(collector, traceId).map(({ name }) => name)
    const cut = names.filter((name) => above(name).at(-1) !== 'run')
    const missing = expected.filter((name) => !names.includes(name))
    return missing.length + cut.length === 0 || `without ${[...missing, ...cut].join(', ')}`
  }, within)
  const spans = spansOf(collector, traceId)
  expect(above('signal decided')).toEqual([
    'signal decided',
    'POST /v1/requests/:id/decisions',
    'run',
  ])
  expect(above('execute_tool write_file')).toEqual([
    'execute_tool write_file',
    'activity executeCall',
    'workflow schedules executeCall',
    'run',
  ])
  expect(attributesOf(spans.find(({ name }) => name === 'activity executeCall'))).toMatchObject({
    temporalWorkflowId: expect.stringContaining(runId),
    run_id: expect.stringMatching(/^[\w-]{36}$/),
  })
  const chat = spans.filter(({ name }) => name === 'chat script:scripts/one.yaml')
  expect(chat.map(attributesOf)).toEqual(
    [0, 1].map(() => ({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'script',
      'gen_ai.request.model': 'script:scripts/one.yaml',
      'gen_ai.conversation.id': runId,
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    })),
  )
  const read = spans.find(({ name }) => name === 'execute_tool read_file')
  expect(read).toMatchObject({ status: { code: 2 } })
  expect(attributesOf(read)).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
    'error.type': 'tool_error',
  })
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
  const model = 'gen_ai_provider_name="script",gen_ai_request_model="script:scripts/one.yaml"'
  const of = `gen_ai_operation_name="chat",${model}`
  expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${of}} 2`)
  expect(text).toContain(`gen_ai_client_token_usage_count{${of},gen_ai_token_type="output"} 2`)
  expect(text).not.toContain(marker)
  for (const name of ['api', 'temporal-worker']) {
    const log = await readFile(join(installation.dataDir, 'logs', `${name}.log`), 'utf8')
    expect(log).toContain('serves')
    expect(log, name).not.toContain(marker)
  }
})

// Rules: security.md 25
test("the page of the Temporal worker has the metrics of Temporal's SDK, in seconds, without ids, each declared once", async () => {
  const { text } = await metricsOfWorker()
  expect(text).toMatch(/^temporal_worker_task_slots_available\{.*worker_type="WorkflowWorker"/m)
  expect(text).toMatch(/^temporal_workflow_task_execution_latency_seconds_count\{/m)
  expect(text).toMatch(/^temporal_request_total\{/m)
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/)
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(new Set(names).size).toBe(names.length)
})

// Rules: security.md 25
test('a call at the gateway is a span by the conventions for MCP, which links to that of its client', async () => {
  const scopes = ['requests:write', 'requests:read']
  const key = String((await ada.post('/v1/keys', { name: 'agent', scopes })).body['key'])
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  const url = new URL(`${installation.url}/mcp/noting`)
  const client = new Client(
    { name: 'agent', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const _meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  await client.callTool({ name: 'look', arguments: { text: marker }, _meta })
  await client.callTool({ name: marker, arguments: {}, _meta }).catch(() => undefined)
  await client.close()
  const named = (name: string) => spansIn(collector).filter((span) => span.name === name)
  await waitUntil(() => {
    const isThere = named('tools/call look').length === 1 && named('tools/call').length > 0
    return isThere || [...new Set(spansIn(collector).map(({ name }) => name))].join(', ')
  }, within)
  const [look] = named('tools/call look')
  // The trace is that of the request; OpenTelemetry's number for a server is 2.
  expect(look).toMatchObject({ kind: 2, links: [{ traceId }] })
  expect(attributesOf(look)).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2026-07-28',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'look',
    'network.protocol.name': 'http',
    'network.transport': 'tcp',
  })
  await waitUntil(() => {
    const names = spansOf(collector, String(look?.traceId)).map(({ name }) => name)
    return names.includes('execute_tool mcp__noting__look') || `only ${names.join(', ')}`
  }, within)
  // The server that is called has its place below the span of the tool.
  const tool = spansIn(collector).find(({ name }) => name === 'execute_tool mcp__noting__look')
  expect(attributesOf(tool)).toMatchObject({
    'mcp.method.name': 'tools/call',
    'network.transport': 'pipe',
  })
  expect(await readFile(join(installation.folder, 'journal-traces'), 'utf8')).toBe(
    `00-${tool?.traceId}-${tool?.spanId}-01\n`,
  )
  const { text } = await metricsOfWorker()
  const called =
    'mcp_method_name="tools/call",gen_ai_operation_name="execute_tool",gen_ai_tool_name="look"'
  expect(text).toContain(
    `mcp_client_operation_duration_seconds_count{${called},network_transport="pipe"} 1`,
  )
  for (const method of ['initialize', 'tools/list'])
    expect(text).toContain(`mcp_method_name="${method}",network_transport="pipe"} `)
  const page = String((await grace.bytes('/metrics')).bytes)
  expect(page).toContain(
    `mcp_server_operation_duration_seconds_count{${called},network_transport="tcp"} 1`,
  )
  expect(page).toContain(
    'mcp_method_name="tools/call",network_transport="tcp",error_type="tool_error"',
  )
  expect(text + page).not.toContain(marker)
  // A name that the server does not have is a word of the client's.
  const [unknown] = named('tools/call')
  expect(unknown).toMatchObject({ traceId, status: { code: 2 } })
  expect(attributesOf(unknown)).toMatchObject({ 'error.type': 'tool_error' })
  expect(collector.received.map(({ body }) => body).join('\n')).not.toContain(marker)
})

test('a stopping API answers and records a decision, or does neither: none is lost behind a 200', async () => {
  const runId = await startRun(ada, { worker: 'many', input: marker })
  const requests = await pendingOf(runId, many)
  const stream = await grace.open('/v1/events')
  const gone = await installation.pidOf('api')
  const answers = requests.map(async ({ id }, index): Promise<Answer | null> => {
    if (index === 3) process.kill(gone, 'SIGTERM')
    return approve(String(id)).catch(() => null)
  })
  const answered = await Promise.all(answers)
  // The stream ends with the process, and has said when to come back.
  const text = await stream.text()
  expect(text).toMatch(/^retry: 2000$/m)
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

function attributesOf(span: Span | undefined): Record<string, unknown> {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  )
}

function spansOf(of: WebhookReceiver, traceId: string): Span[] {
  return spansIn(of).filter((span) => span.traceId === traceId)
}

function spansIn(of: WebhookReceiver): Span[] {
  return of.received
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const named = resource.attributes.find(({ key }: { key: string }) => key === 'service.name')
      const service = String(named?.value.stringValue)
      return scopeSpans.flatMap(({ spans }: { spans: Span[] }) =>
        spans.map((span) => ({ ...span, service })),
      )
    })
}
