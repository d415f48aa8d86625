import type { JsonObject } from '#domain/json/json.ts'
import { openExternal } from '#services/external/open-external.ts'
import { deskConfig, deskWorker, type AgentDesk } from '../../harness/fixtures/agent-desk.ts'
import { addKey } from '../../harness/fixtures/people.ts'
import { ask } from '../open-dashboard.ts'
import { writeCall } from '../../harness/fixtures/runs/file-calls.ts'

const exec = (...args: readonly string[]) => ({
  tool: 'exec',
  input: { file: 'sh', args: [...args], cwd: 'scratch', timeoutSeconds: 60 },
})

/**
 * A morning of an approver (dashboard.md, Measure of success): ten edits, one of which is asked
 * twice, one turn of five files, seven commands, seven calls of a program's tools, and one request
 * of high risk.
 */
export async function askThirty(desk: AgentDesk): Promise<void> {
  await desk.activate({
    'countersign.yaml': `${deskConfig}routing:
  - { when: { path: 'notes/release*' }, risk: high }
  - { when: { tool: exec }, risk: medium }
  - { when: { tool: deploy }, risk: medium }
`,
    'workers/scribe.md': deskWorker.replace('zones:', 'shell: { default: ask }\nzones:'),
  })
  await desk.write('scratch/check.sh', 'echo checked\n')
  const edits = ['pricing', 'faq', 'team', 'legal', 'status', 'glossary', 'style', 'links', 'index']
  for (const name of edits) {
    await desk.write(`notes/${name}.md`, `# ${name}\n\nAn old sentence.\nAnother line.\n`)
    const content = `# ${name}\n\nA new sentence about ${name}.\nAnother line.\n`
    await ask(desk, [writeCall(`notes/${name}.md`, content)], `I update ${name}.`)
  }
  const again = '# index\n\nA new sentence about index.\nAnother line.\n'
  await ask(desk, [writeCall('notes/index.md', again)], 'I update index.')
  const files = ['one', 'two', 'three', 'four', 'five'].map((name) =>
    writeCall(`notes/chapters/${name}.md`, `# ${name}\n`),
  )
  await ask(desk, files, 'I write the chapters.')
  for (let number = 1; number <= 7; number += 1) {
    await ask(desk, [exec('check.sh', `--part=${number}`)], 'I check it.')
  }
  const program = await addKey(desk.database.db, desk.people.ada)
  for (let number = 1; number <= 7; number += 1) {
    const input: JsonObject = { service: 'shop', version: `1.4.${number}`, region: 'eu-west-1' }
    await openExternal(desk.api, program.caller, {
      tool: 'deploy',
      input,
      externalId: `deploy-${number}`,
    })
  }
  await ask(
    desk,
    [writeCall('notes/release.md', '# Release\n\nShip it.\n')],
    'I write the release.',
  )
}
