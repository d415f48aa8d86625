import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import proto, { type temporal } from '@temporalio/proto'
import { describe, expect, it } from 'vitest'
import { bundleOf, workflowBundle } from '../workflows/scripted-run.ts'
import { recordHistories } from './record-histories.ts'
import { newFolder } from '../harness/new-folder.ts'

const kept = new URL('./histories/', import.meta.url)

async function histories(
  folder: URL,
): Promise<{ workflowId: string; history: temporal.api.history.v1.History }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.bin')).toSorted()
  return Promise.all(
    names.map(async (name) => ({
      workflowId: name,
      history: proto.temporal.api.history.v1.History.decode(await readFile(new URL(name, folder))),
    })),
  )
}

async function replayErrors(
  workflowBundle: WorkflowBundleWithSourceMap,
  folder: URL,
): Promise<Record<string, Error | undefined>> {
  const errors: Record<string, Error | undefined> = {}
  const results = Worker.runReplayHistories({ workflowBundle }, await histories(folder))
  for await (const result of results) errors[result.workflowId] = result.error
  return errors
}

describe('replay gate', () => {
  it('replays every recorded history, so that runs which wait go on after a deployment', async () => {
    const errors = await replayErrors(await workflowBundle(), kept)
    expect(Object.keys(errors).length).toBeGreaterThanOrEqual(22)
    expect(Object.values(errors).filter((error) => error !== undefined)).toEqual([])
  })

  it('refuses workflow code that would take another way through a recorded history', async () => {
    const errors = await replayErrors(await bundleOf('changed-workflow'), kept)
    expect(errors['one-approval.bin']).toBeInstanceOf(DeterminismViolationError)
  })

  it('replays what the workflow does today, on every path', async () => {
    // RECORD_HISTORIES=1 adds to the corpus; old histories stay as long as runs of their time may
    // wait.
    const today =
      process.env['RECORD_HISTORIES'] === '1'
        ? kept
        : pathToFileURL(join(newFolder('histories-'), '/'))
    const names = await recordHistories(today)
    const errors = await replayErrors(await workflowBundle(), today)
    expect(Object.keys(errors)).toEqual(
      expect.arrayContaining(names.map((name) => `${name}.bin`).toSorted()),
    )
    expect(names.length).toBeGreaterThanOrEqual(12)
    expect(Object.values(errors).filter((error) => error !== undefined)).toEqual([])
  })
})
