/** What a worker's script says, turn by turn. */
export type ScriptedTurns = readonly {
  readonly text?: string
  readonly calls?: readonly {
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
  }[]
}[]

const config = `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams:
  platform: { members: [grace@example.com, linus@example.com] }
  operators: { members: [olga@example.com] }
queues:
  platform: { team: platform }
  brief: { team: platform, expiresAfter: 3s }
  asking: { team: platform, remindAfter: 2s, escalate: [{ after: 3s, addTeams: [operators] }] }
routing:
  - { when: { path: "brief/**" }, queue: brief }
  - { when: { path: "notes/asking*" }, queue: asking }
defaults: { queue: platform }
rights:
  manageRuns: [platform, operators]
  startApproveAll: [operators]
  readAudit: [platform]
  activatePolicy: [platform]
`

/**
 * A tool that writes into the journal when it begins and when it has finished, each with its call's
 * key, and in between waits, blocks its event loop for a time and until there is a file, waits for
 * a file or for being told to stop, never returns (with a program that it started), or dies. `act`
 * asks, `act_freely` does not.
 */
function actTool(name: string, approval: string): string {
  return `import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { defineTool } from 'countersign'
import { z } from 'zod'

const how = z.enum(['wait', 'block', 'never', 'die', 'until', 'heed'])
const root = join(import.meta.dirname, '..')
const record = (line: string): void => appendFileSync(join(root, 'journal.txt'), line + '\\n')

export default defineTool({
  name: '${name}',
  description: 'Act',
  inputSchema: z.object({ how, forMs: z.number().default(0), mark: z.string().default('') }),
  approval: () => '${approval}',
  execute: async (input, { idempotencyKey, signal }) => {
    record('begin ' + idempotencyKey + ' ' + process.pid)
    if (input.how === 'die') process.kill(process.pid, 'SIGKILL')
    if (input.how === 'never') {
      const child = spawn('sleep', ['600'], { stdio: 'ignore' })
      record('child ' + idempotencyKey + ' ' + child.pid)
      await new Promise(() => setInterval(() => undefined, 1000))
    }
    if (input.how === 'heed') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      record('told ' + idempotencyKey + ' ' + process.pid)
      throw new Error('I was told to stop')
    }
    while (input.how === 'until' && !existsSync(join(root, input.mark))) await delay(20)
    const until = performance.now() + input.forMs
    const cell = new Int32Array(new SharedArrayBuffer(4))
    if (input.how === 'block')
      while (performance.now() < until || !existsSync(join(root, input.mark))) Atomics.wait(cell, 0, 0, 20)
    else await delay(input.forMs)
    record('end ' + idempotencyKey + ' ' + process.pid)
    return { acted: input.mark }
  },
})
`
}

/**
 * The first words of a worker of these tests, with the zones that its calls need. `gated_…` asks
 * before it starts, `gated_briefly` for three seconds.
 */
function workerFile(name: string): string {
  const start = name.startsWith('gated_') ? 'startApproval: ask\n' : ''
  const queue = name === 'gated_briefly' ? 'queue: brief\n' : ''
  return `---
${start}${queue}name: ${name}
description: Plays the script of a test
model: script:scripts/${name}.yaml
zones:
  - { name: all, root: ., mode: ro, approval: { read: preApproved } }
  # Where reads ask, a write is never answered as one that changes nothing: tests write the same again.
  - { name: notes, root: ./notes, mode: rw, approval: { read: ask, write: ask, delete: ask } }
  - { name: brief, root: ./brief, mode: rw, approval: { write: ask } }
  - { name: free, root: ./free, mode: rw, approval: { write: preApproved } }
  - { name: locked, root: ./locked, mode: rw, approval: { write: blocked } }
tools: { act: {}, act_freely: {} }
---
Play the script.
`
}

/**
 * A project with one worker for each script: Ada starts, Grace and Linus decide, Olga may start in
 * any mode.
 */
export function faultProject(
  scripts: Readonly<Record<string, ScriptedTurns>>,
  more: Readonly<Record<string, string>> = {},
  moreConfig = '',
): Record<string, string> {
  const files: Record<string, string> = {
    'countersign.yaml': config + moreConfig,
    'tools/act.ts': actTool('act', 'ask'),
    'tools/act-freely.ts': actTool('act_freely', 'preApproved'),
    ...more,
  }
  for (const folder of ['notes', 'brief', 'free', 'locked']) files[`${folder}/old.md`] = 'old\n'
  for (const [name, turns] of Object.entries(scripts)) {
    files[`workers/${name}.md`] = workerFile(name)
    files[`scripts/${name}.yaml`] = JSON.stringify({
      turns: turns.map((turn) => ({ text: '', calls: [], ...turn })),
    })
  }
  return files
}

/** A call that asks to write one file of the zone that asks. */
export function aWrite(path: string, content = 'new\n') {
  return { tool: 'write_file', input: { path, content } }
}
