import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'

/** A process of its own: another test of this one may have loaded the bundler. */
const program = `
import { readFile } from 'node:fs/promises'
import { loadWorkflowBundle } from ${JSON.stringify(join(import.meta.dirname, 'workflow-bundle.ts'))}
const words = []
const log = (word) => words.push(word)
const first = await loadWorkflowBundle(process.env, log)
const second = await loadWorkflowBundle(process.env, log)
const maps = await readFile('/proc/self/maps', 'utf8')
console.log(JSON.stringify({
  hasWorkflow: first.code.includes('agentRun'),
  isSame: first.code === second.code,
  bundlers: maps.split('\\n').filter((line) => /swc[^/]*\\.node/.test(line)),
  words,
}))`

it.runIf(process.platform === 'linux')(
  'a workflow bundle is made once, and no process that loads it has the bundler in memory',
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { ...process.env, COUNTERSIGN_CACHE: newFolder('countersign-cache-') } },
    )
    expect(JSON.parse(stdout)).toEqual({ hasWorkflow: true, isSame: true, bundlers: [], words: [] })
  },
)
