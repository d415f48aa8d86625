import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Transcript } from '#api/schemas/runs/transcript.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'

const server = fileURLToPath(new URL('../harness/fixtures/mcp/hostile-server.ts', import.meta.url))

function served(
  name: string,
  how: string,
  tools: string,
  program = server,
): Record<string, string> {
  const call = { tool: 'mcp__own__act', input: { text: name } }
  const turns = [{ text: '', calls: [call] }, { text: 'Done.' }]
  return {
    [`workers/${name}.md`]: `---
name: ${name}
description: Uses other people's tools
model: script:scripts/${name}.yaml
zones: [{ name: all, root: ., mode: ro }]
mcpServers:
  own: { command: ${process.execPath}, args: ["${program}", ${how}], tools: ${tools} }
---
Play the script.
`,
    [`scripts/${name}.yaml`]: JSON.stringify({ turns }),
  }
}

const world = disposeAfterTests(
  await FaultWorld.start(
    faultProject(
      {},
      {
        ...served('free', 'well', '{ act: preApproved }'),
        ...served('asking', 'well', '{}'),
        ...served('dying', 'dies', '{ act: preApproved }'),
        ...served('touched', 'well', '{ act: preApproved }'),
        ...served('seeing', 'false-pictures', '{ act: preApproved }'),
        ...served('lying', 'breaks-its-word', '{ act: preApproved }'),
        ...served('mute', 'babbles', '{}'),
        ...served('inside', `well, "${server}"`, '{ act: preApproved }', 'servers/inside.mjs'),
        'servers/inside.mjs': `import ${JSON.stringify(server)}\n`,
      },
    ),
  ),
)
await world.untilSql('select count(distinct worker)::int from mcp_pin', [], 7, 120_000)

test('a tool that the worker’s file pre-approves runs, and what the server says was pinned at its first sight', async () => {
  const runId = await world.startRun('free')
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', result: 'output' }])
  expect(await world.told(runId)).toEqual([expect.stringContaining('acted')])
  const pins = await world.sql('select server from mcp_pin where worker = $1', ['free'])
  expect(pins).toEqual([{ server: 'own' }])
})

test('what it returns besides text is served as bytes of the call, and only a picture as a picture', async () => {
  const runId = await world.startRun('seeing')
  await world.untilRun(runId, 'completed', 120_000)
  const [call] = await world.calls(runId)
  const ada = await world.as('ada')
  const { body } = await ada.get(`/v1/runs/${runId}/transcript`)
  const transcript = body as unknown as Transcript
  const files = transcript.items.flatMap((item) =>
    (item.calls ?? []).flatMap(({ result }) => result?.files ?? []),
  )
  expect(files.map(({ mediaType }) => mediaType)).toContain('image/gif')
  for (const { hash, mediaType, bytes } of files) {
    const served = await ada.bytes(`/v1/calls/${call?.id}/files/${hash}`)
    const type = mediaType === 'image/gif' ? 'image/gif' : 'application/octet-stream'
    expect([served.status, served.type, served.bytes.length]).toEqual([200, type, bytes])
  }
})

test('an answer that breaks its outputSchema is a failed execution that the model reads as an error', async () => {
  const runId = await world.startRun('lying')
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.calls(runId)).toMatchObject([{ execution: 'failed', result: 'error' }])
  expect(await world.told(runId)).toEqual([expect.stringMatching(/not what it says it returns/)])
})

// Rules: product.md 25
test('any other asks, with what the server says of itself labelled as its claim, and runs once approved', async () => {
  const runId = await world.startRun('asking')
  const request = await world.onlyWaiting(runId)
  const grace = await world.as('grace')
  const { body } = await grace.get(`/v1/requests/${request.id}`)
  expect(body).toMatchObject({
    tool: 'mcp__own__act',
    risk: 'medium',
    title: 'Call act of own {"text":"asking"}',
    presentation: {
      type: 'structured',
      metadata: { server: 'own', serverTool: 'act', serverClaims: { description: 'Act' } },
      warnings: [],
    },
  })
  const { metadata } = (body as { presentation: { metadata: Record<string, string> } }).presentation
  expect(metadata['definition']).toBe(metadata['pinnedDefinition'])
  expect(await world.decide(request)).toMatchObject({ status: 200 })
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.calls(runId)).toMatchObject([{ execution: 'succeeded', result: 'output' }])
})

// Rules: security.md 13
test('what was pre-approved runs no more once its pin was changed by SQL, and the refusal is in the trail', async () => {
  const bringBack = await world.takeDown('temporal-worker')
  const runId = await world.startRun('touched')
  await world.sql(
    `update mcp_pin set statement = replace(statement, '"server":"own"', '"server":"owned"') where worker = $1`,
    ['touched'],
  )
  await bringBack()
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.told(runId)).toEqual([
    expect.stringContaining('is not what this service signed'),
  ])
  expect(await world.audit(runId)).toContain('call.judged')
  expect(await world.audit(runId)).not.toContain('execution.started')
  const grace = await world.as('grace')
  expect((await grace.get('/v1/policy/definitions')).body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ worker: 'touched', state: 'forged' }),
    ]) as unknown,
  })
}, 240_000)

test('a server that dies in the middle of a call harms only that call, whose outcome people are asked about', async () => {
  const host = await world.installation.pidOf('temporal-worker')
  const runId = await world.startRun('dying')
  const check = await world.onlyWaiting(runId)
  const grace = await world.as('grace')
  expect((await grace.get(`/v1/requests/${check.id}`)).body).toMatchObject({
    kind: 'outcome_check',
  })
  const settled = { ran: false, then: 'continue', reason: 'looked' }
  expect(await grace.post(`/v1/requests/${check.id}/settle`, settled)).toMatchObject({
    status: 200,
  })
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.installation.pidOf('temporal-worker')).toBe(host)
})

test('a server that does not answer is a sentence for the model, and in an explanation', async () => {
  const runId = await world.startRun('mute')
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.told(runId)).toEqual([
    expect.stringContaining('MCP server own does not answer'),
  ])
  const ada = await world.as('ada')
  const question = { worker: 'mute', tool: 'mcp__own__act', input: {} }
  await waitUntil(async () => {
    const { body } = await ada.post('/v1/policy/explain', question)
    return JSON.stringify(body).includes('does not answer')
  })
})

// Rules: security.md 33, 36
test('a server whose script was rewritten after the activation is not started, and the trail says so', async () => {
  const bringBack = await world.takeDown('temporal-worker')
  const script = join(world.installation.folder, 'servers/inside.mjs')
  writeFileSync(script, `import ${JSON.stringify(server)} // evil\n`)
  await bringBack()
  const runId = await world.startRun('inside')
  await world.untilRun(runId, 'completed', 120_000)
  expect(await world.told(runId)).toEqual([
    expect.stringMatching(/not started: servers\/inside\.mjs.*countersign policy activate/),
  ])
  expect(await world.audit(runId)).not.toContain('execution.started')
  const refused = await world.sql(
    `select document::jsonb -> 'detail' ->> 'which' as which from audit_event
      where type = 'attempt.refused' and document like '%program_changed%'`,
  )
  expect(refused).toEqual([{ which: 'inside: servers/inside.mjs' }])
}, 240_000)
