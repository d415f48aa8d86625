/** Ada starts, Grace decides; the tool answers with the moment of its first line. */
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
    'scripts/one.yaml': `turns:\n${step}  - text: Done.\n`,
    'scripts/steps.yaml': `turns:\n${step.repeat(5)}  - text: Done.\n`,
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
tools: { first_line: {} }
---
Act.
`
}
