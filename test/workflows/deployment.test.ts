import { describe, expect, it } from 'vitest'
import { waitUntil } from '../harness/wait-until.ts'
import {
  bundleOf,
  decide,
  deployedBundle,
  ScriptedStore,
  startScriptedRun,
  untilCalled,
  workflowBundle,
  type ScriptedRun,
} from './scripted-run.ts'

async function waitingRun(): Promise<ScriptedRun> {
  const run = await startScriptedRun(
    new ScriptedStore([[{ requestId: 'a' }], [{ requestId: 'b' }]]),
  )
  await untilCalled(run, 'takeTurn', 1)
  return run
}

describe('a deployment of changed workflow code', () => {
  it('lets a run that waits go on, when the change is patched', async () => {
    await using run = await waitingRun()
    await run.deploy(await deployedBundle())
    await decide(run, 'a')
    await untilCalled(run, 'takeTurn', 2)
    await decide(run, 'b')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0', '1.0'])
  })

  it('that is not patched executes nothing and loses nothing: the run goes on with the code before', async () => {
    await using run = await waitingRun()
    await run.deploy(await bundleOf('changed-workflow'))
    await decide(run, 'a')
    await waitUntil(async () => {
      const { raw } = await run.handle.describe()
      return (raw.pendingWorkflowTask?.attempt ?? 0) > 1
    })
    expect(run.store.journal).toEqual([])
    await run.deploy(await workflowBundle())
    await untilCalled(run, 'takeTurn', 2)
    await decide(run, 'b')
    await run.handle.result()
    expect(run.store.journal).toEqual(['0.0', '1.0'])
  })
})
