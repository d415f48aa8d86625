import { randomInt, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelRequested, childEnded, decided } from '#workflows/messages.ts'
import { testSandbox } from '#tools/commands/commands.fixture.ts'
import { insertRunLike } from '../harness/fixtures/runs/insert-run-like.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { aWrite, faultProject } from './fault-project.ts'
import { FaultWorld } from './fault-world.ts'
import { journalOf } from './journal.ts'
import { processesNaming } from './processes-naming.ts'

let world: FaultWorld

const zones = `zones:
  - { name: all, root: ., mode: ro, approval: { read: preApproved, share: preApproved } }
  - { name: notes, root: ./notes, mode: rw, approval: { read: ask, write: ask, share: ask } }`

function worker(name: string, front: string): string {
  return `---\nname: ${name}\ndescription: Plays ${name}\nmodel: script:scripts/${name}.yaml\n${front}\n---\nPlay.\n`
}

/**
 * Seconds that nothing else on this machine sleeps for: how a command's process is known from
 * outside.
 */
const seconds = String(randomInt(1_000_000, 8_000_000))
const lasting = `n=lasting; echo begun >> $n.begun; sleep ${seconds}; echo ended >> $n.begun`

const made = worker('made', zones).replace('scripts/made.yaml', 'scripts/hand.yaml')

beforeAll(async () => {
  const call = (target: string) => ({
    calls: [{ tool: 'call_worker', input: { worker: target, input: `Do it, ${target}` } }],
  })
  const project = faultProject({
    lead: [call('middle'), { text: 'The lead is done.' }],
    middle: [call('hand'), { text: 'The middle is done.' }],
    maker: [
      { calls: [{ tool: 'create_worker', input: { definition: made } }] },
      { text: 'The maker is done.' },
    ],
    hand: [{ calls: [aWrite('notes/by-hand.md')] }, { text: 'The hand is done.' }],
    'lead-of-actor': [call('actor'), { text: 'Done.' }],
    actor: [
      { calls: [{ tool: 'act_freely', input: { how: 'heed' } }, aWrite('notes/too-late.md')] },
    ],
    'lead-of-builder': [call('builder'), { text: 'Done.' }],
    builder: [{ calls: [{ tool: 'shell', input: { command: lasting, cwd: 'notes' } }] }],
  })
  const free = 'tools: { call_worker: { approval: preApproved } }'
  world = await FaultWorld.start({
    ...project,
    'workers/lead.md': worker('lead', `workers: [middle, hand]\n${zones}`),
    'workers/middle.md': worker('middle', `workers: [hand]\n${free}\n${zones}`),
    'workers/hand.md': worker('hand', zones),
    'workers/lead-of-actor.md': worker('lead-of-actor', `workers: [actor]\n${free}\n${zones}`),
    'workers/actor.md': worker('actor', `tools: { act_freely: {} }\n${zones}`),
    'workers/lead-of-builder.md': worker(
      'lead-of-builder',
      `workers: [builder]\n${free}\nshell: { default: ask }\n${zones}`,
    ),
    'workers/builder.md': worker('builder', `shell: { default: ask }\n${zones}`),
    'workers/maker.md': worker('maker', `tools: { create_worker: {} }\n${zones}`),
  })
}, 240_000)
afterAll(() => world[Symbol.asyncDispose](), 240_000)

async function onlyChild(runId: string): Promise<string> {
  let found: string[] = []
  await waitUntil(async () => {
    const rows = await world
      .sql<{ id: string }>(`select id from run where parent_run_id = $1`, [runId])
      .catch(() => [])
    found = rows.map(({ id }) => id)
    return found.length === 1 || `${found.length} children`
  })
  return found[0] ?? ''
}

/** Starts a lead, and waits for the request of its hand; policy pre-approves the middle. */
async function handAsks(): Promise<{ lead: string; middle: string; hand: string }> {
  const lead = await world.startRun('lead')
  await world.decide(await world.onlyWaiting(lead))
  const middle = await onlyChild(lead)
  const hand = await onlyChild(middle)
  await world.onlyWaiting(hand)
  return { lead, middle, hand }
}

async function attemptsOf(...runIds: string[]): Promise<unknown[]> {
  return world.sql(
    `select c.tool, c.result_type as result, e.state, e.attempt from tool_call c
     join execution e on e.call_id = c.id where c.run_id = any($1::uuid[])
     order by array_position($1::uuid[], c.run_id), c.position, e.attempt`,
    [runIds],
  )
}

const once = [
  { tool: 'call_worker', result: 'output', state: 'succeeded', attempt: 1 },
  { tool: 'call_worker', result: 'output', state: 'succeeded', attempt: 1 },
  { tool: 'write_file', result: 'output', state: 'succeeded', attempt: 1 },
]

// Rules: product.md 23
describe('a lineage of three runs', () => {
  test('is seen from every end, asks people who are none of those behind it, and hands results up', async () => {
    const { lead, middle, hand } = await handAsks()
    const request = await world.onlyWaiting(hand)
    const ada = await world.as('ada')
    const { body } = await ada.get(`/v1/requests/${request.id}`)
    const lineage = body['lineage'] as { runId: string; worker: string }[]
    expect(lineage.map((entry) => entry.runId)).toEqual([lead, middle, hand])
    expect(body['eligibility']).toMatchObject({ canDecide: false })
    expect((await world.decide(request, {}, { who: 'ada' })).status).toBe(403)
    const parent = await ada.get(`/v1/runs/${lead}`)
    expect(parent.body['children']).toMatchObject([
      { runId: middle, worker: 'middle', state: 'running' },
    ])
    expect((await world.decide(request)).status).toBe(200)
    await world.untilRun(lead, 'completed')
    expect(await attemptsOf(lead, middle, hand)).toEqual(once)
    expect((await world.told(lead)).join()).toContain('The middle is done.')
    expect((await world.told(middle)).join()).toContain('The hand is done.')
    for (const run of [lead, middle, hand]) {
      const events = await world.audit(run)
      expect(events.filter((type) => type === 'run.started')).toHaveLength(1)
      expect(events.filter((type) => type === 'run.ended')).toHaveLength(1)
    }
  }, 240_000)

  test('survives kill -9 of everything that carries it, between approval, start, work and close', async () => {
    const lead = await world.startRun('lead')
    const request = await world.onlyWaiting(lead)
    const workerBack = await world.takeDown('temporal-worker')
    expect((await world.decide(request)).status).toBe(200)
    const apiGone = await world.installation.killNine('api')
    await workerBack()
    await world.installation.untilBack('api', apiGone)
    const middle = await onlyChild(lead)
    const hand = await onlyChild(middle)
    const handRequest = await world.onlyWaiting(hand)
    for (const name of ['temporal-worker', 'temporal', 'api'] as const) {
      const gone = await world.installation.killNine(name)
      await world.installation.untilBack(name, gone)
    }
    expect((await world.decide(handRequest)).status).toBe(200)
    const gone = await world.installation.killNine('temporal-worker')
    const goneToo = await world.installation.killNine('api')
    await world.installation.untilBack('temporal-worker', gone)
    await world.installation.untilBack('api', goneToo)
    await world.untilRun(lead, 'completed', 180_000)
    expect(await attemptsOf(lead, middle, hand)).toEqual(once)
    const runs = await world.sql(`select id from run where root_run_id = $1`, [lead])
    expect(runs).toHaveLength(3)
  }, 600_000)

  test('is not moved by signals that anybody may send, however many', async () => {
    const { lead, middle, hand } = await handAsks()
    const { workflow } = await world.temporal()
    for (const run of [lead, middle]) {
      const handle = workflow.getHandle(`agent-run:${run}`)
      await Promise.all([
        handle.signal(childEnded, [middle, hand]),
        handle.signal(childEnded, [middle, hand, randomUUID()]),
        handle.signal(decided, [hand]),
        handle.signal(cancelRequested),
      ])
    }
    await waitUntil(async () => {
      const { raw } = await workflow.getHandle(`agent-run:${lead}`).describe()
      const still = raw.pendingWorkflowTask === null && (raw.pendingActivities ?? []).length === 0
      return still || 'the lead is looking'
    })
    expect(await world.calls(lead)).toMatchObject([{ result: null, execution: 'started' }])
    expect(await world.calls(middle)).toMatchObject([{ result: null, execution: 'started' }])
    await world.decide(await world.onlyWaiting(hand))
    await world.untilRun(lead, 'completed')
    expect(await attemptsOf(lead, middle, hand)).toEqual(once)
  }, 240_000)

  test('cancelled at its root is cancelled down to the last run, and nothing waits any more', async () => {
    const { lead, middle, hand } = await handAsks()
    const request = await world.onlyWaiting(hand)
    const [decision, cancelled] = await Promise.all([
      world.decide(request, { decision: 'deny' }),
      (await world.as('ada')).post(`/v1/runs/${lead}/cancel`, { reason: 'enough' }),
    ])
    expect(cancelled.status).toBe(200)
    expect([200, 410]).toContain(decision.status)
    for (const run of [lead, middle, hand]) await world.untilRun(run, 'cancelled')
    const open = await world.sql(
      `select 1 from request where root_run_id = $1 and state = 'pending'`,
      [lead],
    )
    expect(open).toEqual([])
    const { workflow } = await world.temporal()
    for (const run of [lead, middle, hand]) {
      await waitUntil(async () => {
        const { status } = await workflow.getHandle(`agent-run:${run}`).describe()
        return status.name !== 'RUNNING' || 'its workflow goes on'
      })
    }
  }, 240_000)

  test('whose last run is cancelled alone goes on above it with that', async () => {
    const { lead, middle, hand } = await handAsks()
    const cancelling = await world.as('ada')
    await cancelling.post(`/v1/runs/${hand}/cancel`, { reason: 'not this one' })
    await world.untilRun(lead, 'completed')
    expect((await world.told(middle)).join()).toContain('not this one')
    expect(await world.calls(middle)).toMatchObject([{ result: 'cancelled', execution: 'failed' }])
  }, 240_000)
})

describe('a root cancelled while a tool runs below it', () => {
  /**
   * Ada cancels the root; waits until it and its child are cancelled and nothing of the child runs
   * any more.
   */
  async function cancelled(lead: string, child: string): Promise<void> {
    const ada = await world.as('ada')
    expect(await ada.post(`/v1/runs/${lead}/cancel`, { reason: 'enough' })).toMatchObject({
      status: 200,
    })
    for (const run of [lead, child]) await world.untilRun(run, 'cancelled')
    await world.untilSql(
      `select count(*)::int from execution e join tool_call c on c.id = e.call_id
       where c.run_id = any($1::uuid[]) and e.state = 'started'`,
      [[lead, child]],
      0,
    )
    const { workflow } = await world.temporal()
    for (const run of [lead, child]) await workflow.getHandle(`agent-run:${run}`).result()
    expect(await world.calls(lead)).toMatchObject([
      { result: 'cancelled', execution: 'failed', attempts: 1 },
    ])
    const open = `select 1 from request where root_run_id = $1 and state = 'pending'`
    expect(await world.sql(open, [lead])).toEqual([])
  }

  test('a tool that heeds the signal is told, ends by itself, and is not run again', async () => {
    const lead = await world.startRun('lead-of-actor')
    const child = await onlyChild(lead)
    await world.waiting(child, 1)
    const [call] = await world.calls(child)
    const journal = () => journalOf(world, call?.id ?? '')
    await waitUntil(async () => (await journal()).begun === 1)
    const before = await journal()
    await cancelled(lead, child)
    expect(await journal()).toEqual({ ...before, told: 1 })
    expect(await world.calls(child)).toMatchObject([
      { result: 'cancelled', execution: 'failed', reason: 'cancelled', attempts: 1 },
      { result: 'cancelled', execution: null, attempts: 0 },
    ])
    expect((await world.told(child))[0]).toContain('I was told to stop')
    expect(await world.read('notes/too-late.md')).toBeNull()
  }, 240_000)

  test.skipIf(!testSandbox.works)(
    'a command is ended with its processes, and is not run again',
    async () => {
      const lead = await world.startRun('lead-of-builder')
      const child = await onlyChild(lead)
      expect(await world.decide(await world.onlyWaiting(child))).toMatchObject({ status: 200 })
      await waitUntil(() => processesNaming('sleep', seconds).length > 0)
      await cancelled(lead, child)
      await waitUntil(() => processesNaming('sleep', seconds).length === 0)
      expect(await world.calls(child)).toMatchObject([
        { result: 'cancelled', execution: 'failed', reason: 'cancelled', attempts: 1 },
      ])
      expect(await world.read('notes/lasting.begun')).toBe('begun\n')
    },
    240_000,
  )
})

// Rules: security.md 13, 14
test('a child that somebody writes into the database is never started, and the trail says so', async () => {
  const { lead, middle } = await handAsks()
  const forged = randomUUID()
  await insertRunLike((text, values) => world.sql(text, values), middle, {
    id: forged,
    workflow_id: `agent-run:${forged}`,
    signature: '',
    key_id: '',
    mode: 'approve_all',
  })
  await world.sql(
    `insert into run_lineage select $2::uuid, ancestor_id, depth from run_lineage
       where run_id = $1 and ancestor_id <> $1 union all select $2::uuid, $2::uuid, 1`,
    [middle, forged],
  )
  await world.sql(
    `insert into message (id, run_id, sequence, role, content_hash)
     select $2::uuid, $3::uuid, 1, 'user', content_hash from message where run_id = $1 and sequence = 1`,
    [middle, randomUUID(), forged],
  )
  await world.sql(`insert into outbox (run_id, kind, payload) values ($1, 'start_run', '{}')`, [
    forged,
  ])
  await world.untilRun(forged, 'failed')
  expect(await world.audit(forged)).toEqual(expect.arrayContaining(['permit.refused', 'run.ended']))
  expect(await world.calls(forged)).toEqual([])
  const { workflow } = await world.temporal()
  await expect(workflow.getHandle(`agent-run:${forged}`).describe()).rejects.toThrow(/not found/i)
  await (await world.as('ada')).post(`/v1/runs/${lead}/cancel`, {})
}, 240_000)

// Rules: product.md 24
test('a worker that an agent writes is in force once somebody has approved it, and can be started', async () => {
  const maker = await world.startRun('maker')
  const request = await world.onlyWaiting(maker)
  const grace = await world.as('grace')
  const { body } = await grace.get(`/v1/requests/${request.id}`)
  const { digest: seen, content } = body['presentation'] as { digest: string; content: string }
  expect([body['risk'], content]).toEqual(['high', made])
  expect((await world.decide(request, { reason: 'unseen' })).status).toBe(422)
  expect((await world.decide(request, { reason: 'it is a hand', seen })).status).toBe(200)
  await world.untilRun(maker, 'completed')
  expect((await world.told(maker)).join()).toContain('in force')
  expect(await world.read('workers/made.md')).toBe(made)
  const run = await world.startRun('made')
  await world.decide(await world.onlyWaiting(run))
  await world.untilRun(run, 'completed')
}, 240_000)
