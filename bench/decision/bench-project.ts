/**
 * The project: Ada starts, Grace decides, and the tool answers with the time of its first line.
 */
export function benchProject(): Record<string, string> {
  const step = `  - text: I act.\n    calls: [{ tool: first_line, input: {} }]\n`
  return {
    'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams: { platform: { members: [grace@example.com] } }
queues: { platform: { team: platform } }
defaults: { queue: platform }
routing: [{ when: { tool: deploy }, risk: medium }]
rights: { manageRuns: [platform], readAudit: [platform], activatePolicy: [platform] }
`,
    'workers/one.md': worker('one'),
    'workers/steps.md': worker('steps'),
    'workers/slow.md': worker('slow'),
    'scripts/one.yaml': `turns:\n${step}  - text: Done.\n`,
    'scripts/steps.yaml': `turns:\n${step.repeat(5)}  - text: Done.\n`,
    'scripts/slow.yaml': `turns:\n  - text: I wait.\n    calls: [{ tool: slow_line, input: {} }]\n  - text: Done.\n`,
    'tools/slow-line.ts': `import { defineTool } from 'countersign'
import { z } from 'zod'

export default defineTool({
  name: 'slow_line',
  description: 'Wait for a minute',
  inputSchema: z.object({}),
  approval: () => 'ask',
  execute: () => new Promise((resolve) => setTimeout(() => resolve({}), 60_000)),
})
`,
    'tools/first-line.ts': `import { defineTool } from 'countersign'
import { z } from 'zod'

export default defineTool({
  name: 'first_line',
  description: 'Tell the time',
  inputSchema: z.object({}),
  approval: () => 'ask',
  execute: async () => ({ at: Number(process.hrtime.bigint()) / 1e6 }),
})
`,
  }
}

function worker(name: string): string {
  return `---
name: ${name}
description: Acts when it may
model: script:scripts/${name}.yaml
tools: { first_line: {}, slow_line: {} }
---
Act.
`
}
