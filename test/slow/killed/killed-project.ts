import type { ModelStepInput, HeldAnswer } from '../../harness/held-model.ts'

const worker = (name: string, rest: string): string => `---
name: ${name}
description: Is killed in the middle
model: openai-compatible:held
${rest}---
You are ${name}.
`
const scratch = `zones:
  - { name: scratch, root: scratch, mode: rw, approval: { read: preApproved, write: preApproved } }
`
/** Records each beginning and end, and waits for a file in between. */
const holdTool = `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { defineTool } from 'countersign'
import { z } from 'zod'

const root = join(import.meta.dirname, '..')

export default defineTool({
  name: 'hold',
  description: 'Hold',
  inputSchema: z.object({ round: z.string() }),
  approval: () => 'preApproved',
  execute: async ({ round }) => {
    const record = (word) =>
      appendFileSync(join(root, 'held-' + round), word + ' ' + process.pid + '\\n')
    record('begin')
    while (!existsSync(join(root, 'go'))) await delay(50)
    record('end')
    return 'held'
  },
})
`
const branch = `workspace: shop
zones:
  - { name: all, root: ., mode: rw, approval: { read: preApproved, write: preApproved } }
shell: { default: ask }
tools: { merge_branch: {}, git_push: {} }
`

/** Workers of which each is in the middle of something else when a process is killed. */
export const killedProject: Readonly<Record<string, string>> = {
  'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams: { platform: { members: [grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
models: { held: { context: 16000 } }
workspaces:
  default: { root: . }
  shop: { root: shop, isolation: worktree, base: main }
rights: { manageRuns: [platform], readAudit: [platform] }
triggers: { deploys: { worker: opener, secret: "\${DEPLOYS_SECRET}" } }
`,
  'scratch/a.txt': 'a\n',
  'workers/streamer.md': worker('streamer', scratch),
  'workers/writer.md': worker('writer', scratch),
  'tools/hold.ts': holdTool,
  'workers/holder.md': worker('holder', 'tools: { hold: {} }\n'),
  'workers/asker.md': worker('asker', 'tools: { ask_person: {} }\n'),
  'workers/opener.md': worker('opener', scratch),
  'workers/merger.md': worker('merger', branch),
  'workers/pusher.md': worker('pusher', branch),
}

/** As many files as keep a merge busy for longer than a kill takes. */
export const filesOfMerge = 300
const summary = 'They wrote files.'

/** What the model says. The task names the round, which tells one kill from the next. */
export function killedAnswer({ system, users, turn, hasTools }: ModelStepInput): HeldAnswer {
  const [, round = ''] = /round-([a-z-]+)/.exec(users) ?? []
  if (!hasTools) return { text: summary, hold: `compaction ${round}` }
  if (system.includes('You are streamer.')) {
    return users.includes('held')
      ? { text: 'All of it.', hold: `stream ${round}` }
      : { text: 'Short.' }
  }
  if (system.includes('You are writer.')) {
    if (users.includes(summary) || turn > 12) return { text: 'Written.' }
    const path = `scratch/${round}-${turn}.txt`
    const input = { path, content: `${path}\n`.repeat(500) }
    return { text: 'I write.', calls: [{ tool: 'write_file', input }] }
  }
  if (system.includes('You are holder.')) {
    if (turn > 1) return { text: 'Held.' }
    return { text: 'I hold.', calls: [{ tool: 'hold', input: { round } }] }
  }
  if (system.includes('You are opener.')) return { text: 'Opened.' }
  if (system.includes('You are asker.')) {
    if (turn > 1) return { text: 'Thanks.' }
    return { text: 'I ask.', calls: [{ tool: 'ask_person', input: { question: 'Which colour?' } }] }
  }
  const isMerge = system.includes('You are merger.')
  if (turn === 1)
    return { text: 'I change.', calls: [change(`${isMerge ? 'merge' : 'push'}-${round}`)] }
  if (turn > 2) return { text: 'Done.' }
  const call = isMerge
    ? { tool: 'merge_branch', input: { message: `Merge ${round}` } }
    : { tool: 'git_push', input: {} }
  return { text: 'I hand it over.', calls: [call] }
}

function change(name: string) {
  const command = `mkdir -p ${name} && for i in $(seq ${filesOfMerge}); do echo ${name} > ${name}/$i.txt; done; git add . && git commit -qm ${name}`
  return { tool: 'shell', input: { command } }
}
