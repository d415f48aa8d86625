import { writeCall } from '../harness/fixtures/runs/file-calls.ts'

/** ESC, a bell and a right-to-left override, as an agent might hide them in what it writes. */
export const hostile = 'ok\u001b[2J\u0007\u202Egpj.exe'

/**
 * Reading asks, so that a run that writes again what another has written is not answered "already
 * so".
 */
const worker = (name: string, extra = ''): string => `---
name: ${name}
description: Plays its script
model: script:./scripts/${name}.yaml
${extra}zones:
  - { name: notes, root: ./notes, mode: rw, approval: { read: ask, write: ask, delete: blocked } }
---
Do as you are told.
`

const script = (...turns: { text: string; calls?: unknown[] }[]): string =>
  JSON.stringify({ turns })

/** Prints one line, waits for a file, and ends with a character whose bytes come apart. */
const slowBuild = String.raw`printf 'one \033[2J\a\n'; while [ ! -e go ]; do sleep 0.1; done
printf 'two \342'; sleep 1; printf '\202\254\n'; sleep 1`

const longText = Array.from({ length: 200 }, (_, line) => `step ${line + 1}`).join('\n')

/**
 * One worker for each thing that a run can meet. Ada starts, Grace decides, Olga manages, Aud
 * audits.
 */
export const cliProject: Readonly<Record<string, string>> = {
  'countersign.yaml': `version: 1
people: [{ email: ada@example.com, name: Ada }]
teams:
  platform: { members: [ada@example.com, grace@example.com, linus@example.com, edsger@example.com] }
  operators: { members: [olga@example.com] }
  auditors: { members: [aud@example.com] }
queues: { platform: { team: platform } }
defaults: { queue: platform }
schedules:
  yearly: { worker: scribe, input: Draft them, cron: "0 6 1 1 *", timezone: Europe/Berlin, as: ada@example.com }
triggers: { deploys: { worker: scribe, secret: "\${DEPLOYS_SECRET}" } }
routing:
  - { when: { path: "notes/infra/**" }, risk: high }
  - { when: { command: "sh notes/run.sh" }, scopes: [once, command] }
rights: { manageRuns: [operators], activatePolicy: [operators], managePeople: [operators], readAudit: [auditors] }
`,
  'notes/keep.md': 'kept\n',
  'workers/scribe.md': worker('scribe'),
  'scripts/scribe.yaml': script(
    { text: `I write it. ${hostile}`, calls: [writeCall('notes/a.md', `${hostile}\n`)] },
    { text: 'Done.' },
  ),
  'workers/builder.md': worker('builder', 'shell: { default: ask }\n'),
  'scripts/builder.yaml': script(
    { text: 'I build.', calls: [{ tool: 'shell', input: { command: slowBuild, cwd: 'notes' } }] },
    { text: 'Done.' },
  ),
  'notes/run.sh': 'echo first\n',
  'workers/runner.md': worker('runner', 'shell: { default: ask }\n'),
  'scripts/runner.yaml': script(
    { text: 'I run.', calls: [{ tool: 'exec', input: { file: 'sh', args: ['notes/run.sh'] } }] },
    { text: 'Done.' },
  ),
  'workers/hands.md': worker('hands', 'tools: { write_file: { manual: true } }\n'),
  'scripts/hands.yaml': script(
    {
      text: 'I edit.',
      calls: [
        {
          tool: 'edit_file',
          input: { path: 'notes/keep.md', edits: [{ find: 'kept', replace: 'edited' }] },
        },
      ],
    },
    { text: 'Done.' },
  ),
  'workers/asker.md': worker('asker', 'workers: [scribe]\ntools: { ask_person: {} }\n'),
  'scripts/asker.yaml': script(
    {
      text: 'I ask.',
      calls: [
        { tool: 'ask_person', input: { question: 'Which one?', choices: ['the first', 'none'] } },
      ],
    },
    {
      text: 'Then so.',
      calls: [{ tool: 'call_worker', input: { worker: 'scribe', input: 'go' } }],
    },
    { text: 'Done.' },
  ),
  'workers/idle.md': worker('idle'),
  'scripts/idle.yaml': script({ text: 'Nothing to do.' }),
  'workers/inventor.md': worker('inventor'),
  'scripts/inventor.yaml': script(
    { text: 'I try.', calls: [{ tool: `say${hostile}`, input: { text: hostile } }] },
    { text: 'Done.' },
  ),
  'workers/limited.md': worker('limited', 'limits: { turns: 1 }\n'),
  'scripts/limited.yaml': script(
    { text: 'One.', calls: [{ tool: 'no_such_tool', input: {} }] },
    { text: 'Two.' },
  ),
  'workers/again.md': worker('again'),
  'scripts/again.yaml': script(
    { text: 'Once.', calls: [writeCall('notes/same.md', 'same\n')] },
    { text: 'Twice.', calls: [writeCall('notes/same.md', 'same\n')] },
    { text: 'Other.', calls: [writeCall('notes/other.md', 'other\n')] },
    { text: 'Done.' },
  ),
  'workers/risky.md': worker('risky'),
  'scripts/risky.yaml': script(
    { text: 'Carefully.', calls: [writeCall('notes/infra/plan.md', `${longText}\n`)] },
    { text: 'Done.' },
  ),
}
