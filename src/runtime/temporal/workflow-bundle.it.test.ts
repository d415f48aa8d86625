import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { loadWorkflowBundle } from './workflow-bundle.ts'

/** Native libraries of the bundler in this process. */
async function loadedBundlers(): Promise<readonly string[]> {
  const maps = await readFile('/proc/self/maps', 'utf8')
  return maps.split('\n').filter((line) => /swc[^/]*\.node/.test(line))
}

it.runIf(process.platform === 'linux')(
  'a workflow bundle is made once, and whoever loads it has no bundler in memory',
  async () => {
    const environment = { COUNTERSIGN_CACHE: newFolder('countersign-cache-') }
    const words: string[] = []
    const { code } = await loadWorkflowBundle(environment, (word) => void words.push(word))
    expect(code).toContain('agentRun')
    expect(await loadedBundlers()).toEqual([])
    expect(await loadWorkflowBundle(environment, (word) => void words.push(word))).toMatchObject({
      code,
    })
    expect(words).toEqual([])
  },
)
