import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { admitRun } from '../engine/lifecycle/admit-run.ts'
import {
  delegated,
  delegating,
  desk,
  files,
  row,
  useDelegationDesk,
} from '../engine/delegation/delegation.fixture.ts'
import { replayPolicy, type ReplayPage } from './replay-policy.ts'
import { setRows } from '#test/harness/fixtures/rows.ts'
import { writeCall } from '#test/harness/fixtures/runs/file-calls.ts'

useDelegationDesk()

const folder = {
  ...files,
  'countersign.yaml': `${files['countersign.yaml']}  activatePolicy: [operators]\n`,
}

beforeAll(() => desk.activate(folder))
beforeEach(async () => {
  since = new Date()
  for (const [path, text] of Object.entries(folder)) await desk.write(path, text)
})
afterEach(() => rm(join(desk.root, 'tools'), { recursive: true, force: true }))

let since: Date

/** Judges the calls of the test again by the files that the folder has now. */
async function replay(): Promise<ReplayPage> {
  return replayPolicy(desk.api, desk.people.olga.caller, { projectDir: desk.root, since })
}

/** A child of the scribe, whose own zones are wider than the scribe's, makes four calls. */
async function childAtWork(): Promise<string> {
  const { childId } = await delegated()
  await admitRun(desk.api, { runId: childId })
  desk.say({
    text: 'I write.',
    calls: [
      writeCall('scratch/new.txt'),
      writeCall('notes/new.md'),
      writeCall('readme.md'),
      writeCall('kept/new.md'),
    ],
  })
  await desk.turn(childId, 1)
  return childId
}

async function changeScribe(from: string, to: string): Promise<void> {
  const text = folder['workers/scribe.md']
  expect(text).toContain(from)
  await desk.write('workers/scribe.md', text.replace(from, to))
}

// Rules: product.md 23
test('a delegated call is judged again in the zones of the runs above it', async () => {
  const childId = await childAtWork()
  expect((await desk.calls(childId, 1)).map(({ verdict }) => verdict)).toEqual([
    'preApproved',
    'preApproved',
    'error',
    'blocked',
  ])
  expect(await replay()).toMatchObject({ judged: 5, items: [], notJudged: [] })

  await changeScribe('root: ./scratch, mode: rw', 'root: ./scratch, mode: ro')
  expect((await replay()).items).toMatchObject([
    {
      runId: childId,
      worker: 'reviewer',
      before: { verdict: 'preApproved' },
      after: { verdict: 'error', reason: expect.stringContaining('which is read-only') },
    },
  ])

  await changeScribe('write: blocked, share: blocked', 'write: ask, share: blocked')
  expect((await replay()).items).toMatchObject([
    { runId: childId, before: { verdict: 'blocked' }, after: { verdict: 'preApproved' } },
  ])
})

test('a removed worker leaves the runs below it without zones', async () => {
  const childId = await childAtWork()
  await rm(join(desk.root, 'workers/scribe.md'))
  const circle = folder['workers/circle.md'].replace('[scribe, circle]', '[reviewer]')
  await desk.write('workers/circle.md', circle)
  const { items } = await replay()
  const ofChild = items.filter(({ runId }) => runId === childId)
  expect(ofChild.map(({ before, after }) => [before?.verdict, after.verdict])).toEqual([
    ['blocked', 'error'],
    ['preApproved', 'error'],
    ['preApproved', 'error'],
  ])
})

// Rules: security.md 13
test('a run whose lineage is not signed cannot be judged, and the replay says so', async () => {
  const childId = await childAtWork()
  const { signature } = await row(childId)
  await setRows(
    desk.database.db,
    'run',
    { id: childId },
    { signature: Buffer.alloc(64).toString('base64') },
  )
  const { judged, items, notJudged } = await replay()
  expect({ judged, items }).toEqual({ judged: 1, items: [] })
  expect(notJudged).toHaveLength(4)
  expect(notJudged[0]).toMatchObject({
    runId: childId,
    worker: 'reviewer',
    tool: 'write_file',
    why: expect.stringContaining('is not valid'),
  })
  await desk.database.db.updateTable('run').set({ signature }).where('id', '=', childId).execute()
})

test('who may start a called worker, and whom its requests would reach, are judged by the version', async () => {
  await delegating()
  const reviewer = folder['workers/reviewer.md']
  const name = 'name: reviewer\n'
  await desk.write(
    'workers/reviewer.md',
    reviewer.replace(name, `${name}startableBy: [operators]\n`),
  )
  expect((await replay()).items).toMatchObject([
    {
      tool: 'call_worker',
      before: { verdict: 'ask' },
      after: { verdict: 'error', reason: expect.stringContaining('Only members of operators') },
    },
  ])
  const asks = reviewer
    .replace('write: preApproved', 'write: ask')
    .replace(name, `${name}queue: later\n`)
  const config = folder['countersign.yaml']
  const later = (members: string): string =>
    config
      .replace('teams:\n', `teams:\n  later: { members: [${members}] }\n`)
      .replace('queues:\n', 'queues:\n  later: { team: later }\n')
  await desk.write('workers/reviewer.md', asks)
  await desk.write('countersign.yaml', later(''))
  expect((await replay()).items).toMatchObject([
    { after: { verdict: 'error', reason: expect.stringContaining('would reach too few people') } },
  ])
  // The team is in no table yet: only the version that is replayed under has it.
  await desk.write('countersign.yaml', later('grace@example.com'))
  expect((await replay()).items).toEqual([])
})

test('calls that need tool files or servers not in force are listed as not judged', async () => {
  const listed = 'tools: { notify: {} }\nmcpServers: { files: { command: other } }\nworkers:'
  const scribe = folder['workers/scribe.md'].replace('workers:', listed)
  desk.say({
    text: 'I tell.',
    calls: [
      { tool: 'notify', input: {} },
      { tool: 'mcp__files__read', input: {} },
      { tool: 'read_file', input: { path: 'readme.md' } },
    ],
  })
  await desk.turn(await desk.start(), 1)
  expect(await replay()).toMatchObject({ judged: 3, notJudged: [] })
  await desk.write('workers/scribe.md', scribe)
  await desk.write('tools/notify.ts', 'export default 1\n')
  const { judged, items, notJudged } = await replay()
  expect({ judged, items }).toEqual({ judged: 1, items: [] })
  expect(notJudged.map(({ tool, why }) => [tool, why])).toEqual([
    [
      'mcp__files__read',
      'its MCP server files is not the one in force, and is not started to be asked for mcp__files__read',
    ],
    ['notify', 'its tool files are not those in force, and notify takes part in its verdict'],
  ])
})
