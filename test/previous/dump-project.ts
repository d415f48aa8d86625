/**
 * The project that dumps of earlier versions are made with, so it keeps to what the first version
 * understood. Each worker plays one scene of `play-scenes.ts`; `write_slowly` ends once the
 * project has a file `go`.
 */
export function dumpProject(): Record<string, string> {
  const files: Record<string, string> = {
    'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }, { email: olga@example.com, name: Olga }]
teams:
  platform: { members: [grace@example.com, linus@example.com] }
queues:
  platform: { team: platform, expiresAfter: 3650d, permitFor: 3650d }
  hurried: { team: platform, expiresAfter: 5s }
defaults: { queue: platform }
routing:
  - { when: { tool: write_file, path: 'notes/hurried.md' }, queue: hurried }
  - { when: { tool: write_file, path: 'notes/two.md' }, queue: platform, quorum: { count: 2 } }
  - { when: { tool: write_file, path: 'notes/granted.md' }, queue: platform, scopes: [once, run] }
rights: { manageRuns: [platform], readAudit: [platform], activatePolicy: [platform] }
`,
    'tools/write-slowly.ts': `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { defineTool } from 'countersign'
import { z } from 'zod'

export default defineTool({
  name: 'write_slowly',
  description: 'Write into the journal, and wait',
  inputSchema: z.object({ line: z.string() }),
  approval: () => 'ask',
  execute: async (input, { idempotencyKey }) => {
    const project = join(import.meta.dirname, '..')
    appendFileSync(join(project, 'journal.txt'), \`\${input.line} \${idempotencyKey}\\n\`)
    while (!existsSync(join(project, 'go'))) await delay(20)
    return { written: true }
  },
})
`,
  }
  for (const [name, calls] of Object.entries(scenes)) {
    files[`workers/${name}.md`] = `---
name: ${name}
description: Plays ${name}
model: script:scripts/${name}.yaml
zones:
  - { name: all, root: ., mode: ro, approval: { read: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { write: ask, delete: blocked } }
tools: { write_slowly: {} }
---
Play your part.
`
    const turns = calls.map((turn) => `  - text: I do it.\n    calls: [${turn.join(', ')}]\n`)
    files[`scripts/${name}.yaml`] = `turns:\n${turns.join('')}  - text: Done.\n`
  }
  return files
}

const write = (file: string, content: string): string =>
  `{ tool: write_file, input: { path: notes/${file}.md, content: "${content}\\n" } }`
const slow = (line: string): string => `{ tool: write_slowly, input: { line: ${line} } }`
const read = '{ tool: read_file, input: { path: countersign.yaml } }'
const remove = '{ tool: delete_file, input: { path: notes/approved.md } }'

/** The calls of each turn, by worker. */
const scenes = {
  approved: [[read, write('approved', 'one'), remove]],
  edited: [[write('edited', 'as asked')]],
  granted: [[write('granted', 'one')], [write('granted', 'one')]],
  denied: [[write('denied', 'no')]],
  stopped: [[write('stopped', 'no'), write('besides', 'no')]],
  hurried: [[write('hurried', 'late')]],
  cancelled: [[write('cancelled', 'never')]],
  waiting: [[write('waiting', 'still'), slow('waiting')]],
  quorum: [[write('two', 'both')]],
  lost: [[slow('lost')]],
  settled: [[slow('settled')]],
  executing: [[slow('executing'), slow('approved')]],
}

export type Scene = keyof typeof scenes
