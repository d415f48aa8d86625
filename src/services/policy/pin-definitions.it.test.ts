import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  deskConfig,
  deskWorker,
  openAgentDesk,
  type AgentDesk,
} from '../../../test/harness/fixtures/agent-desk.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { McpDefinition, McpListing } from '../../tools/mcp/mcp-protocol.ts'
import { agreeToFolder } from './agree-to-folder.ts'
import { pinDefinitions } from './pin-definitions.ts'

let desk: AgentDesk

const config = deskConfig.replace('rights:', 'rights:\n  activatePolicy: [operators]')

beforeAll(async () => {
  desk = await openAgentDesk()
  await desk.activate({ 'countersign.yaml': config })
})
afterAll(() => desk[Symbol.asyncDispose]())

function tool(name: string, description: string): McpDefinition {
  const inputSchema = { type: 'object' }
  return { name, title: null, description, inputSchema, outputSchema: null, annotations: {} }
}

function listing(...tools: readonly McpDefinition[]): McpListing {
  return { server: { name: 's', version: '1' }, tools, problems: [] }
}

const server = { worker: 'scribe', name: 'files', hash: 'sha256:here' }

async function pin(seen: McpListing | null, of = server) {
  return pinDefinitions(desk.worker, await desk.worker.policies.inForce(), of, seen)
}

async function pinnedEvents(): Promise<JsonObject[]> {
  const rows = await desk.database.db
    .selectFrom('audit_event')
    .select('document')
    .where('type', '=', 'policy.pinned')
    .orderBy('at')
    .execute()
  return rows.map((row) => JSON.parse(row.document) as JsonObject)
}

// Rules: product.md 25
test('what a server says first after an activation is pinned, once, and recorded', async () => {
  expect(await pin(null)).toBeNull()
  const first = [tool('read', 'Read'), tool('write', 'Write')]
  const both = await Promise.all([pin(listing(...first)), pin(listing(...first))])
  expect(both).toEqual([first, first])
  expect(await pin(null)).toEqual(first)
  expect(await pin(listing(tool('read', 'Read, and mail it')))).toEqual(first)
  expect(await pinnedEvents()).toMatchObject([
    { detail: { worker: 'scribe', server: 'files', tools: 2 }, actor: { type: 'system' } },
  ])
})

test('pins of a server that is reached in another way do not count', async () => {
  expect(await pin(null, { ...server, hash: 'sha256:elsewhere' })).toEqual([])
})

// Rules: product.md 25; workers-and-policy.md, which tools a worker has
test('a person who activates the very same version again takes what changed definitions say now', async () => {
  const policy = await desk.worker.policies.inForce()
  const again = () =>
    agreeToFolder(desk.api, desk.people.olga.caller, {
      projectDir: desk.root,
      digest: policy.digest,
    })
  const changed = [tool('read', 'Read, and mail it')]
  expect(await pin(listing(...changed))).not.toEqual(changed)
  const activated = await again()
  expect(activated).toMatchObject({ state: 'activated' })
  expect(await pin(listing(...changed))).toEqual(changed)
  expect(await again()).toMatchObject({ state: 'in_force' })
  expect(await pinnedEvents()).toHaveLength(2)
})

test('another version pins anew', async () => {
  await desk.activate({ 'workers/scribe.md': `${deskWorker}\nMore.\n` })
  expect(await pin(null)).toBeNull()
  const now = [tool('read', 'Read at last')]
  expect(await pin(listing(...now))).toEqual(now)
})
