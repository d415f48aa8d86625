import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Judgement } from '../../domain/judgement.ts'
import type { Json } from '../../domain/json.ts'
import type { Tool } from '../../domain/tool.ts'
import { buildRegistry, registryOf } from '../../tools/registry.ts'
import { workspaceWith } from '../../tools/workspace.fixture.ts'
import type { Policy } from '../policy.ts'
import { parseProject } from '../project/parse-project.ts'
import { judge } from './judge.ts'
import type { JudgeQuestion } from './question.ts'

const teams = `teams:
  platform: { members: [ada@example.com, grace@example.com] }
  security: { members: [edsger@example.com] }
`
const queues = `queues:
  platform: { team: platform }
  security: { team: security, edits: off, expiresAfter: 1h, permitFor: 1d, selfApproval: true, signature: required }
`

/** A project of one worker `scribe`: `front` is its front matter below the model, `config` more of countersign.yaml. */
export function projectWith(front: string, config = 'defaults: { queue: platform }\n'): Policy {
  const parsed = parseProject({
    texts: new Map([
      ['countersign.yaml', `version: 1\n${teams}${queues}${config}`],
      ['workers/scribe.md', `---\nmodel: script:./scripts/demo.yaml\n${front}\n---\nWrite.\n`],
      ['scripts/demo.yaml', 'turns:\n  - text: Done.\n'],
    ]),
    toolFiles: [],
  })
  if ('policy' in parsed) return parsed.policy
  throw new Error(JSON.stringify(parsed.problems, null, 1))
}

/** The zones most tests speak of. */
export const usualZones = `zones:
  - { name: repo, root: ., mode: ro, approval: { read: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md],
      approval: { read: preApproved, write: ask, delete: { blocked: "notes are kept" } } }
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved, delete: preApproved } }
  - { name: secret, root: ./secret, mode: rw, approval: { read: ask, write: blocked } }`

/** A workspace on disk with files in each zone, a link, a FIFO, and a hidden data folder. */
export async function usualWorkspace() {
  const made = await workspaceWith({
    'notes/a.md': 'a',
    'scratch/x.txt': 'x',
    'secret/s.txt': 's',
    '.env': 'KEY=1',
    'keys/server.pem': 'k',
    '.countersign/run/dev-token': 't',
    'src/main.ts': 'm',
  })
  symlinkSync('/etc/hostname', path.join(made.root, 'scratch/link'))
  symlinkSync('/etc', path.join(made.root, 'scratch/etc'))
  execFileSync('mkfifo', [path.join(made.root, 'scratch/pipe')])
  mkdirSync(path.join(made.root, 'scratch/folder'))
  return made
}

export type UsualWorkspace = Awaited<ReturnType<typeof usualWorkspace>>

/** Judges a call of `scribe` with its real file tools, and `tools` beside them. */
export async function judged(
  project: Policy,
  { root, workspace }: Pick<UsualWorkspace, 'root' | 'workspace'>,
  call: { readonly tool: string; readonly input: Json; readonly tools?: readonly Tool[] },
  more: Partial<JudgeQuestion> = {},
): Promise<Judgement> {
  const builtIn = await buildRegistry({ policy: project, worker: 'scribe', toolProcess: null })
  return judge({
    policy: project,
    worker: 'scribe',
    tool: call.tool,
    input: call.input,
    runMode: 'prompt',
    registry: registryOf([...builtIn.all(), ...(call.tools ?? [])]),
    workspace,
    projectDir: root,
    duplicateId: false,
    byPerson: false,
    findGrant: async () => null,
    ...more,
  })
}

/** A custom tool that takes anything. */
export function customTool(more: Partial<Tool> = {}): Tool {
  return {
    name: 'notify',
    description: 'Notify somebody',
    jsonSchema: { type: 'object' },
    risk: 'medium',
    readOnly: false,
    idempotent: false,
    manual: false,
    scopes: ['once', 'run'],
    definitionHash: 'sha256:notify',
    parse: (input) =>
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? { ok: true, input }
        : { ok: false, problems: ['not an object'] },
    accesses: () => [],
    approval: async () => null,
    present: async () => {
      throw new Error('judging presents nothing')
    },
    execute: async () => {
      throw new Error('judging executes nothing')
    },
    ...more,
  }
}
