import { describe, expect, it } from 'vitest'
import { benchProject } from '../../bench/decision/bench-project.ts'
import { proseOf } from '../../bench/decision/transcript-text.ts'
import { bytesByTable } from '../../bench/stored-bytes.ts'
import { DeliveredMarks } from '#delivery/outbox/lease-rows.ts'
import { takeTurn } from '#services/engine/turns/take-turn.ts'
import type { WorkerContext } from '#services/core/worker-context.ts'
import { openToolProcess } from '#tools/custom/tool-process.ts'
import { buildRegistry } from '#tools/registry.ts'
import { disposeAfterTests } from '../harness/dispose-after-tests.ts'
import { coverAudit } from '../harness/fixtures/cover-audit.ts'
import { openAgentDesk } from '../harness/fixtures/agent-desk.ts'
import { rowsOf } from '../harness/fixtures/rows.ts'

const desk = disposeAfterTests(await openAgentDesk())
const { 'countersign.yaml': _, ...project } = benchProject()
await desk.activate(project)
const { toolFiles } = await desk.worker.policies.inForce()
const toolProcess = disposeAfterTests(
  await openToolProcess({ projectDir: desk.root, toolFiles, environment: {} }),
)
const registryOf: WorkerContext['registryOf'] = (policy, name) =>
  buildRegistry({ policy, worker: name, toolProcess })
const worker = { ...desk.worker, registryOf }

const runs = 10

/**
 * The bytes that one more run with a transcript of this size stores, by table, while it waits for
 * its first decision.
 */
async function storedPerRun(transcriptBytes: number): Promise<{ bytes: number; tables: string }> {
  await waitingRun(transcriptBytes)
  await coverAudit(desk.database.db)
  const before = await bytesByTable(desk.database.db)
  for (let run = 0; run < runs; run += 1) await waitingRun(transcriptBytes)
  await coverAudit(desk.database.db)
  const after = await bytesByTable(desk.database.db)
  const added = [...after]
    .map(([table, bytes]) => [table, (bytes - (before.get(table) ?? 0)) / runs] as const)
    .filter(([, bytes]) => bytes > 0)
  return {
    bytes: added.reduce((sum, [, bytes]) => sum + bytes, 0),
    tables: added.map(([table, bytes]) => `${table} ${Math.round(bytes)}`).join(', '),
  }
}

async function waitingRun(transcriptBytes: number): Promise<void> {
  const runId = await desk.start({ worker: 'one', input: proseOf(transcriptBytes) })
  desk.say({ text: 'I act.', calls: [{ tool: 'first_line', input: {} }] })
  const outcome = await takeTurn(worker, { runId, turn: 1, signal: new AbortController().signal })
  expect(outcome).toMatchObject({ kind: 'calls', calls: [{ step: 'wait' }] })
  const { db } = desk.database
  await new DeliveredMarks(db).mark(await rowsOf(db, 'outbox', { run_id: runId }, 'id', 'kind'))
}

describe('a waiting run', () => {
  it('with a transcript of 4 KB keeps at most 8.17 KB', async () => {
    const { bytes, tables } = await storedPerRun(4 * 1024)
    expect(bytes, tables).toBeLessThanOrEqual(8.17 * 1024)
  })

  it('with a transcript of 200 KB keeps at most 72 KB', async () => {
    const { bytes, tables } = await storedPerRun(200 * 1024)
    expect(bytes, tables).toBeLessThanOrEqual(72 * 1024)
  })
})
