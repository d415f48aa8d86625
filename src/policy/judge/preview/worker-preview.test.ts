import { expect, test } from 'vitest'
import { projectWith, usualZones } from '#test/harness/fixtures/judging.ts'
import { workerPreview } from './worker-preview.ts'

/** The preview of the worker `scribe`, as `approval text (reason)`. */
function preview(front: string, config?: string): string[] {
  const policy = projectWith(front, config)
  const worker = policy.workers.get('scribe')
  if (worker === undefined) throw new Error('the project has a worker scribe')
  return workerPreview(policy, worker).map(
    ({ approval, text, reason }) => `${approval} ${text}${reason === null ? '' : ` (${reason})`}`,
  )
}

const queue = 'defaults: { queue: platform }\n'

test('lists for every zone what runs alone, asks and never runs, with the defaults', () => {
  expect(preview(usualZones)).toEqual([
    'preApproved Read files in the workspace',
    'blocked Write and edit files in the workspace (read only)',
    'blocked Delete and move files in the workspace (read only)',
    'preApproved Read files in notes/',
    'ask Write and edit files in notes/ that end in .md',
    'blocked Delete and move files in notes/ that end in .md (notes are kept)',
    'preApproved Read files in scratch/',
    'preApproved Write and edit files in scratch/',
    'preApproved Delete and move files in scratch/',
    'ask Read files in secret/',
    'blocked Write and edit files in secret/',
    'ask Delete and move files in secret/',
    'blocked Run commands',
  ])
})

test('lists each rule about commands, the default for all others, and the network', () => {
  const shell = `shell:
  default: ask
  rules:
    - { pattern: git log, approval: preApproved }
    - { pattern: git reset, approval: blocked, reason: History is shared }`
  expect(preview(shell)).toEqual([
    'blocked Read or change any file',
    'preApproved Run git log',
    'blocked Run git reset (History is shared)',
    'ask Run any other command',
    'blocked Reach the network from a command',
  ])
})

test('says with which arguments and outside of which zones a shell rule does not apply', () => {
  const shell = `shell:
  rules:
    - { pattern: find, approval: preApproved, unlessArgs: [-exec, -delete], zones: notes }`
  expect(preview(`${usualZones}\n${shell}`)).toContain(
    'preApproved Run find, but not with -exec or -delete, only in zone notes',
  )
})

test('says that a list of domains excludes everything else', () => {
  const text = 'shell: { default: ask }\nsandbox: { network: [pypi.org, "*.a.com"] }'
  expect(preview(text).at(-1)).toBe(
    'blocked Reach anything but pypi.org and *.a.com from a command',
  )
})

test('lists tools, other workers and MCP servers as their entries say, and that all others ask', () => {
  const tools = `tools: { notify: {}, deploy: { manual: true }, note: { approval: preApproved }, ask_person: {} }
workers: [scribe]
mcpServers: { files: { command: x, tools: { read_file: preApproved } } }`
  expect(preview(tools).slice(2)).toEqual([
    'ask Hand work to scribe',
    'ask Ask a person a question (whoever started the run may answer too)',
    'ask Use the tool notify (unless the tool itself says otherwise)',
    'blocked Use the tool deploy (only a person may invoke it)',
    'preApproved Use the tool note',
    'preApproved Use read_file of the MCP server files',
    'ask Use other tools of the MCP server files',
  ])
})

test('names the file and line that lets a worker hand work to others', () => {
  const lineOf = (front: string): string | null | undefined => {
    const policy = projectWith(front)
    const worker = policy.workers.get('scribe')
    if (worker === undefined) throw new Error('the project has a worker scribe')
    return workerPreview(policy, worker).find(({ text }) => text.startsWith('Hand work'))?.source
  }
  expect(lineOf('workers: [scribe]')).toMatch(/^workers\/scribe\.md:\d+$/)
  expect(lineOf('tools: { create_worker: {} }')).toMatch(/^workers\/scribe\.md:\d+$/)
})

test('overlays and entries of built-in tools only make it stricter, and tools that differ have separate lines', () => {
  const zones = `zones: [{ name: all, root: ., mode: rw, approval: { write: preApproved, delete: ask } }]
tools: { edit_file: { approval: ask } }`
  const config = `${queue}overlays:
  - { when: { tool: delete_file }, approval: blocked, reason: Nothing is deleted }
  - { when: { tool: write_file, path: "infra/**" }, approval: ask }
  - { when: { tool: read_file, worker: other }, approval: blocked }
  - { when: { command: git push }, approval: blocked }
`.replace('worker: other', 'risk: high, worker: [scribe]')
  expect(preview(zones, config)).toEqual([
    'preApproved Read files in the workspace',
    'preApproved Write and edit files in the workspace (write_file)',
    'ask Write and edit files in the workspace (edit_file)',
    'blocked Delete and move files in the workspace (delete_file) (Nothing is deleted)',
    'ask Delete and move files in the workspace (move_file)',
    'blocked Run commands',
    'ask Any use of write_file on infra/**',
    'blocked Any use of read_file at high risk',
  ])
})
