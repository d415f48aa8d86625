import { expect, test } from 'vitest'
import type { Policy, ProjectFiles, ProjectProblem } from '../policy.ts'
import { parseProject } from './parse-project.ts'

/** The design's example; its schedule has the input that its worker's schema requires. */
const config = `version: 1
people:
  - { email: alan@example.com, name: Alan }
teams:
  platform: { members: [Ada@example.com, grace@example.com] }
  security: { members: [edsger@example.com, lea@example.com] }
queues:
  platform:
    team: platform
    selfApproval: false
    edits: approve
    signature: optional
    permitFor: 30d
    expiresAfter: 72h
    remindAfter: [4h, 24h]
    escalate: [{ after: 24h, addTeams: [security] }]
defaults: { queue: platform }
routing:
  - when: { tool: [write_file, edit_file, delete_file], path: "infra/**" }
    queue: platform
    risk: high
    quorum: { allOf: [ { team: platform, count: 1 }, { team: security, count: 1 } ] }
overlays:
  - when: { tool: shell }
    approval: ask
workspaces:
  default: { root: . }
  shop: { root: ../shop, isolation: worktree, base: main }
schedules:
  nightly: { worker: release-notes, input: { version: "1.2" }, cron: "0 6 * * 1-5", timezone: Europe/Berlin, as: ada@example.com }
models:
  local: { provider: openai-compatible, baseUrl: "http://127.0.0.1:11434/v1", apiKey: "\${LOCAL_KEY}", context: 32768 }
  claude-sonnet-5-5: { price: { input: 3, cachedInput: 0.3, output: 15 } }
budgets: [{ worker: "*", period: month, costUsd: 200 }]
rights:
  startApproveAll: [platform]
  manageRuns: [platform]
  readAudit: [security]
  activatePolicy: [security, alan@example.com]
`

const worker = `---
name: release-notes
description: Drafts release notes from the git history
model: anthropic:claude-sonnet-5-5
queue: platform
limits: { turns: 40, calls: 200, tokens: 2000000, costUsd: 5 }
workspace: shop
conversation: true
startApproval: preApproved
input: { type: object, properties: { version: { type: string, title: Version } } }
settings: { temperature: 0.2, maxOutputTokens: 8000, reasoning: medium, cache: true }
startableBy: [platform]        # teams; absent = anybody who may start runs
zones:
  - { name: repo, root: ., mode: ro, approval: { read: preApproved } }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md],
      approval: { read: preApproved, write: ask, delete: blocked, share: ask } }
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved, delete: preApproved } }
sandbox: { required: true, network: none }
shell:
  default: ask
  rules:
    - { pattern: git log, approval: preApproved }
    - { pattern: git add, approval: ask, description: Stage files for commit }
    - { pattern: git reset --hard, approval: blocked, reason: History is shared }
    - { pattern: cat, approval: preApproved, zones: [repo, notes] }
    - { pattern: find, approval: preApproved, unlessArgs: [-exec, -execdir, -delete, -fprintf] }
tools:
  slack_notify: { approval: ask }
  deploy: { manual: true }
workers: [changelog-reviewer]
mcpServers:
  files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem@2026.7.10", "."], env: {}, tools: { read_file: preApproved } }
  wiki: { type: http, url: "https://wiki.example.com/mcp", headers: { authorization: "Bearer \${WIKI_TOKEN}" } }
---
You write release notes.
`

const reviewer = `---
name: changelog-reviewer
model: script:./scripts/review.yaml
---
You review.
`

const script = `turns:
  - text: I will write the notes.
    calls:
      - { tool: write_file, input: { path: notes/1.2.md, content: "x" } }
  - text: "Done."
`

function folder(changes: Record<string, string | null> = {}): ProjectFiles {
  const texts = new Map([
    ['countersign.yaml', config],
    ['workers/release-notes.md', worker],
    ['workers/changelog-reviewer.md', reviewer],
    ['scripts/review.yaml', script],
  ])
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) texts.delete(path)
    else texts.set(path, text)
  }
  return { texts, toolFiles: [] }
}

function valid(files: ProjectFiles): Policy {
  const parsed = parseProject(files)
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems, null, 1))
  return parsed.policy
}

function problems(changes: Record<string, string | null>): readonly ProjectProblem[] {
  const parsed = parseProject(folder(changes))
  return 'problems' in parsed ? parsed.problems : []
}

/** Problems as `file:line problem -> remedy`. */
function lines(changes: Record<string, string | null>): string[] {
  return problems(changes).map(
    (one) => `${one.file}:${one.line ?? ''} ${one.problem} -> ${one.remedy}`,
  )
}

test("the design's own example is valid, without a warning", () => {
  const parsed = parseProject(folder())
  expect(parsed).toMatchObject({ warnings: [] })
  const policy = valid(folder())
  expect(policy.config.defaultQueue).toBe('platform')
  expect(policy.config.queues.get('platform')).toMatchObject({
    permitForMs: 30 * 86_400_000,
    expiresAfterMs: 72 * 3_600_000,
    remindAfterMs: [4 * 3_600_000, 24 * 3_600_000],
  })
  expect(policy.config.rights.activatePolicy).toEqual([
    { team: 'security' },
    { person: 'alan@example.com' },
  ])
})

test('a tool accepts a word and { blocked: "reason" }, as a tool of an MCP server does', () => {
  const tools = (text: string) => ({
    'workers/release-notes.md': worker.replace('slack_notify: { approval: ask }', text),
  })
  const read = valid(
    folder(tools('slack_notify: preApproved\n  never: { blocked: no such posts }')),
  )
  const found = read.workers.get('release-notes')?.tools
  expect(found?.get('slack_notify')?.consent).toMatchObject({ approval: 'preApproved' })
  expect(found?.get('never')?.consent).toMatchObject({
    approval: 'blocked',
    reason: 'no such posts',
  })
  expect(lines(tools('slack_notify: allowed'))[0]).toContain('"tools.slack_notify" is "allowed"')
  expect(lines(tools('slack_notify: { blocked: x, manual: true }'))[0]).toContain('manual')
})

test('everybody named in a team is a person, with addresses in lower case', () => {
  const people = valid(folder()).config.people
  expect(people.map((person) => person.email)).toEqual([
    'alan@example.com',
    'ada@example.com',
    'grace@example.com',
    'edsger@example.com',
    'lea@example.com',
  ])
})

test('every rule has the file and line of its text', () => {
  const notes = valid(folder()).workers.get('release-notes')?.zones[1]
  expect(notes).toMatchObject({ root: 'notes', suffixes: ['.md'] })
  expect(notes?.approval.write?.source).toBe('workers/release-notes.md:16')
  expect(notes?.source).toBe('workers/release-notes.md:15')
})

test('a version is content-addressed: a change of any file makes another version', () => {
  const { digest } = valid(folder())
  expect(valid(folder()).digest).toBe(digest)
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  const changed = [
    folder({ 'countersign.yaml': `${config}# a comment\n` }),
    folder({ 'workers/release-notes.md': `${worker}More.\n` }),
    folder({ 'scripts/review.yaml': `${script}  - text: more\n` }),
    { ...folder(), toolFiles: [{ path: 'tools/slack.ts', hash: 'sha256:00' }] },
  ]
  const digests = new Set([digest, ...changed.map((files) => valid(files).digest)])
  expect(digests.size).toBe(5)
})

test('a worker version changes with its script', () => {
  const before = valid(folder()).workers.get('changelog-reviewer')?.digest
  const changed = folder({ 'scripts/review.yaml': `${script}  - text: more\n` })
  expect(valid(changed).workers.get('changelog-reviewer')?.digest).not.toBe(before)
})

test('every problem is reported at once, with file, line and remedy', () => {
  expect(
    lines({
      'countersign.yaml': config
        .replace('team: platform\n', 'team: platfrom\n')
        .replace('expiresAfter: 72h', 'expiresAfter: 3 days')
        .replace('rights:', 'right:')
        .replace('approval: ask', 'approval: preApproved'),
      'workers/release-notes.md': worker
        .replace('zones:\n', 'zone:\n')
        .replace('model: anthropic', 'model: antropic'),
    }),
  ).toEqual([
    'countersign.yaml:9 "queues.platform.team" names the team "platfrom", which is not defined -> did you mean "platform"?',
    'countersign.yaml:14 "queues.platform.expiresAfter" is "3 days", not a duration -> write 90s, 15m, 4h or 7d, of at least a second and at most 3650 days',
    'countersign.yaml:25 "overlays[0].approval" is "preApproved" -> one of "ask", "blocked"',
    'countersign.yaml:35 unknown key "right" -> did you mean "rights"?',
    expect.stringMatching(/^workers\/release-notes.md:4 "model" is "antropic:/),
    'workers/release-notes.md:13 unknown key "zone" -> did you mean "zones"?',
    'workers/release-notes.md:25 "shell.rules[3].zones[0]" names the zone "repo", which is not defined -> none is defined',
    'workers/release-notes.md:25 "shell.rules[3].zones[1]" names the zone "notes", which is not defined -> none is defined',
  ])
})

test.each([
  ['leaves the workspace', 'root: ../notes'],
  ['is absolute', 'root: /etc'],
  ['leaves it in the middle', 'root: notes/../../x'],
])('a zone whose root %s is refused', (_title, root) => {
  const text = worker.replace('root: ./notes', root)
  expect(lines({ 'workers/release-notes.md': text })).toEqual([
    expect.stringContaining('which is not inside the workspace'),
  ])
})

test('overlays may only make verdicts stricter, durations need a unit, and a quorum has one form', () => {
  const overlay = config.replace('approval: ask', 'approval: { blocked: "never here" }')
  expect(valid(folder({ 'countersign.yaml': overlay })).config.overlays[0]?.consent).toMatchObject({
    approval: 'blocked',
    reason: 'never here',
  })
  const beside = config.replace('approval: ask', 'approval: blocked\n    reason: not here')
  expect(valid(folder({ 'countersign.yaml': beside })).config.overlays[0]?.consent).toMatchObject({
    approval: 'blocked',
    reason: 'not here',
  })
  const both = config.replace('quorum: { allOf:', 'quorum: { count: 2, allOf:')
  expect(lines({ 'countersign.yaml': both })).toEqual([
    'countersign.yaml:22 "routing[0].quorum" must have exactly one of these keys -> give exactly one of "count", "allOf" and "anyOf"',
  ])
})

test('an empty text is said to be empty, and a single domain is to be written as a list', () => {
  const changed = worker
    .replace('Drafts release notes from the git history', '""')
    .replace('network: none', 'network: pypi.org')
  expect(lines({ 'workers/release-notes.md': changed })).toEqual([
    'workers/release-notes.md:3 "description" is empty -> write a text',
    'workers/release-notes.md:18 "sandbox.network" is "pypi.org" -> write none, allow or a list of domains, such as [pypi.org]',
  ])
})

test('a malformed, missing or empty script is a problem of the folder', () => {
  expect(lines({ 'scripts/review.yaml': null })).toEqual([
    'workers/changelog-reviewer.md:3 "model" names the script "scripts/review.yaml", which does not exist -> correct the path',
  ])
  expect(lines({ 'scripts/review.yaml': 'turns:\n  - { txt: hi }\n' })).toEqual([
    'scripts/review.yaml:2 unknown key "turns[0].txt" -> did you mean "text"?',
  ])
  expect(lines({ 'scripts/review.yaml': 'turns:\n  - calls: [{ input: {} }]\n' })).toHaveLength(1)
})

test('duplicate names are refused', () => {
  const zone = worker.replace('name: scratch', 'name: notes')
  expect(lines({ 'workers/release-notes.md': zone })).toEqual([
    expect.stringContaining('is a second zone "notes"'),
  ])
  const key = config.replace('defaults:', 'version: 1\ndefaults:')
  expect(lines({ 'countersign.yaml': key })[0]).toMatch(/not valid YAML.* -> give each key once/)
  const member = config.replace('grace@example.com', 'ADA@example.com')
  expect(lines({ 'countersign.yaml': member })).toEqual([
    expect.stringContaining('names ada@example.com twice'),
  ])
  expect(lines({ 'workers/Release-Notes.md': worker })).toContainEqual(
    expect.stringContaining('in other case'),
  )
})

test('an earlier address belongs to one person, and is not the present address of another', () => {
  const formerly = (address: string) => `{ email: alan@example.com, formerly: ${address} }`
  const problemsWith = (...people: string[]) =>
    lines({
      'countersign.yaml': config.replace(
        '{ email: alan@example.com, name: Alan }',
        people.join('\n  - '),
      ),
    })
  expect(problemsWith(formerly('Turing@example.com'))).toEqual([])
  const stillHere = expect.stringContaining('who is still a person of the project')
  expect(problemsWith(formerly('[old@example.com, grace@example.com]'))).toEqual([stillHere])
  expect(problemsWith(formerly('alan@example.com'))).toEqual([stillHere])
  const twice = '{ email: kurt@example.com, formerly: old@example.com }'
  expect(problemsWith(formerly('old@example.com'), twice)).toEqual([
    expect.stringContaining('names old@example.com, twice'),
  ])
})

test('a worker has the name of its file', () => {
  expect(lines({ 'workers/other.md': worker })).toEqual([
    'workers/other.md:2 "name" is "release-notes", but the file is called other.md -> write `name: other`',
  ])
})

test('an odd but harmless setting is a warning, and the version stays valid', () => {
  const parsed = parseProject(
    folder({
      'countersign.yaml': config
        .replace('[write_file,', '[write_fiel,')
        .replace('members: [edsger@example.com, lea@example.com]', 'members: []'),
      'workers/release-notes.md': worker
        .replace('@2026.7.10', '')
        .replace('root: ./scratch, mode: rw', 'root: ./scratch'),
    }),
  )
  expect('warnings' in parsed && parsed.warnings.map((one) => one.problem)).toEqual([
    'queue "platform" escalates to team "security", which has no members',
    '"routing[0].when.tool[0]" names the tool "write_fiel"',
    'the quorum needs more people than its teams have',
    '"zones[2]" is read-only, so its word on writing never counts',
    expect.stringContaining('without a version'),
  ])
})

test('no text in a folder makes the parser throw', () => {
  for (const text of ['', '[]', 'a', '- 1', '{', '&a [*a]', '? [x]\n: 1', 'version: !x 1', '\0']) {
    for (const file of ['countersign.yaml', 'workers/release-notes.md', 'scripts/review.yaml']) {
      expect(lines({ [file]: text }), `${file}: ${text}`).not.toEqual([])
    }
    const front = `---\n${text}\n---\n`
    expect(lines({ 'workers/release-notes.md': front })).not.toEqual([])
  }
  expect(parseProject({ texts: new Map(), toolFiles: [] })).toHaveProperty('problems')
})
