/**
 * A project for tests of faults: Ada starts, Grace decides, and one tool writes down in a journal
 * when it begins and when it has finished, each with the call's key, so that anybody can count how
 * often it ran. `approval`: the tool's own.
 */
export function chaosProject(approval = "() => 'ask'"): Record<string, string> {
  return {
    'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams: { platform: { members: [grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
rights: { manageRuns: [platform], readAudit: [platform], activatePolicy: [platform] }
`,
    'workers/clerk.md': `---
name: clerk
description: Writes one line into the journal
model: script:scripts/clerk.yaml
zones: [{ name: all, root: ., mode: ro, approval: { read: preApproved } }]
tools: { write_journal: {} }
---
Write into the journal.
`,
    'scripts/clerk.yaml': `turns:
  - text: I write into the journal.
    calls: [{ tool: write_journal, input: { journal: journal.txt, forMs: 120 } }]
  - text: Done.
`,
    'tools/write-journal.ts': `import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { defineTool } from 'countersign'
import { z } from 'zod'

export default defineTool({
  name: 'write_journal',
  description: 'Write into the journal',
  inputSchema: z.object({ journal: z.string(), forMs: z.number() }),
  approval: ${approval},
  execute: async (input, { idempotencyKey }) => {
    const journal = join(import.meta.dirname, '..', input.journal)
    appendFileSync(journal, \`begin \${idempotencyKey} \${process.hrtime.bigint()}\\n\`)
    await delay(input.forMs)
    appendFileSync(journal, \`end \${idempotencyKey} \${process.hrtime.bigint()}\\n\`)
    return { written: true }
  },
})
`,
  }
}
