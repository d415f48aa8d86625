import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { cliProject } from '#test/cli/cli-project.ts'
import { fixtureFiles } from '#test/harness/fixtures/project.ts'
import { parseProject } from '../project/parse-project.ts'
import { splitFrontMatter } from '../worker/front-matter.ts'
import { jsonSchemaOf, schemaNames, type SchemaName } from './json-schemas.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const ajv = new Ajv({ strict: false, allErrors: true })
const validate = Object.fromEntries(
  schemaNames.map((name) => [name, ajv.compile(jsonSchemaOf(name))]),
)

const config = `version: 1
people: [{ email: ada@example.com, name: Ada }, { email: bob@example.com }]
teams:
  platform: { members: [ada@example.com, grace@example.com] }
  empty: {}
queues:
  platform:
    team: platform
    selfApproval: false
    edits: revise
    signature: optional
    permitFor: 30d
    expiresAfter: 90s
    remindAfter: 1s
    escalate: [{ after: 10s, addTeams: [empty] }]
defaults: { queue: platform }
routing:
  - { when: {}, queue: platform, risk: high, quorum: { count: 2 }, scopes: once }
  - { when: { tool: [shell, "*_file"], path: "a/**", worker: scribe, queue: platform, command: git push, risk: [low] }, quorum: { anyOf: [{ team: platform }] } }
overlays:
  - { when: { tool: shell }, approval: ask, reason: always }
  - { when: { tool: exec }, approval: { blocked: "never" } }
  - { when: { tool: exec }, approval: { approval: blocked, reason: why } }
workspaces: { default: { root: ., taskQueue: other } }
rights: { startApproveAll: platform, manageRuns: [platform, ada@example.com], readAudit: }
`
const worker = `---
name: scribe
description: Writes
model: script:./script.yaml
queue: platform
limits: { turns: 4 }
startableBy: platform
zones:
  - { name: all, root: ., mode: rw, suffixes: [.md], approval: { read: preApproved, write: { blocked: no }, share: ask, reason: because }, protected: ".github/**" }
sandbox: { required: true, network: none }
shell:
  default: ask
  rules:
    - { pattern: git log, approval: preApproved, zones: all, unlessArgs: [-o], description: Look }
    - { pattern: git push, approval: blocked, reason: no }
tools: { notify: , deploy: { manual: true, approval: ask, reason: x } }
workers: scribe
mcpServers:
  files: { command: npx, args: [x@1.0.0], env: { A: b }, tools: { read_file: preApproved } }
  wiki: { type: http, url: "https://wiki.example.com/mcp", headers: { a: b } }
---
Write.
`
const script = `turns:
  - { text: "", calls: [{ tool: notify, input: { a: [1, null] }, id: one }, { tool: notify }] }
  - text: Done.
  - calls:
`
type Folder = Readonly<Record<string, string>>
const whole: Folder = {
  'countersign.yaml': config,
  'workers/scribe.md': worker,
  'script.yaml': script,
}

function schemaFor(file: string): SchemaName {
  if (file === 'countersign.yaml') return 'countersign'
  return file.startsWith('workers/') ? 'worker' : 'script'
}

function accepts(file: string, text: string): boolean {
  const yaml = file.startsWith('workers/') ? (splitFrontMatter(text)?.yaml ?? '') : text
  return validate[schemaFor(file)]?.(parse(yaml, { maxAliasCount: 100 })) === true
}

function problemsOf(folder: Folder): string[] {
  const parsed = parseProject({ texts: new Map(Object.entries(folder)), toolFiles: [] })
  return 'problems' in parsed ? parsed.problems.map((one) => `${one.file} ${one.problem}`) : []
}

/** The project files of an example. */
function example(name: string): Folder {
  const folder = path.join(root, 'examples', name)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(countersign\.yaml|workers\/.*\.md|scripts\/.*\.yaml)$/.test(file),
  )
  return Object.fromEntries(
    files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  )
}

const projectFile = /^(countersign\.yaml|workers\/.*\.md|script.*\.yaml)$/

test.each<[string, Folder]>([
  ['every key in every form', whole],
  ['examples/quickstart', example('quickstart')],
  ['examples/starter', example('starter')],
  ['examples/delegation', example('delegation')],
  ['the fixture folder', Object.fromEntries(fixtureFiles.texts)],
  ['the folder of the command line tests', cliProject],
])('the schemas accept what check accepts: %s', (_title, folder) => {
  const files = Object.fromEntries(
    Object.entries(folder).filter(([file]) => projectFile.test(file)),
  )
  expect(problemsOf(files)).toEqual([])
  for (const [file, text] of Object.entries(files)) {
    expect(
      accepts(file, text),
      `${file}: ${JSON.stringify(validate[schemaFor(file)]?.errors)}`,
    ).toBe(true)
  }
})

test('a key without a value counts as absent in the schemas wherever it does in check', () => {
  const refused: string[] = []
  let tried = 0
  for (const [file, text] of Object.entries(whole)) {
    for (const line of text.split('\n')) {
      const [, before, key] = /^(\s*)(\w+): \S/.exec(line) ?? []
      if (key === undefined) continue
      const changed = { ...whole, [file]: text.replace(`${line}\n`, `${before}${key}:\n`) }
      if (problemsOf(changed).length > 0) continue
      tried += 1
      if (!accepts(file, changed[file] ?? '')) refused.push(`${file}: ${key}`)
    }
  }
  expect(refused).toEqual([])
  expect(tried).toBeGreaterThan(10)
})

const wrong: readonly (readonly [file: string, from: string, to: string])[] = [
  ['countersign.yaml', 'version: 1', 'version: 2'],
  ['countersign.yaml', 'version: 1', 'versions: 1'],
  ['countersign.yaml', 'defaults: {', 'default: {'],
  ['countersign.yaml', 'email: ada@example.com', 'mail: ada@example.com'],
  ['countersign.yaml', 'email: bob@example.com', 'email: bob'],
  ['countersign.yaml', 'members: [ada@example.com', 'members: [Ada'],
  ['countersign.yaml', '    team: platform', '    teams: platform'],
  ['countersign.yaml', 'selfApproval: false', 'selfApproval: "no"'],
  ['countersign.yaml', 'edits: revise', 'edits: sometimes'],
  ['countersign.yaml', 'permitFor: 30d', 'permitFor: 30 days'],
  ['countersign.yaml', 'permitFor: 30d', 'permitFor: 30'],
  ['countersign.yaml', 'risk: high', 'risk: huge'],
  ['countersign.yaml', '{ count: 2 }', '{ count: 0 }'],
  ['countersign.yaml', 'scopes: once', 'scopes: always'],
  ['countersign.yaml', '{ when: {}, queue', '{ whenever: {}, queue'],
  ['countersign.yaml', 'approval: ask, reason', 'approval: preApproved, reason'],
  ['countersign.yaml', '{ blocked: "never" }', '{ block: "never" }'],
  ['countersign.yaml', 'manageRuns:', 'manageRun:'],
  ['workers/scribe.md', 'model: script:./script.yaml', 'model: gpt'],
  ['workers/scribe.md', 'model: script:./script.yaml', 'description2: x'],
  ['workers/scribe.md', 'turns: 4', 'turns: 0'],
  ['workers/scribe.md', 'turns: 4', 'turn: 4'],
  ['workers/scribe.md', 'mode: rw', 'mode: rwx'],
  ['workers/scribe.md', 'suffixes: [.md]', 'suffixes: [md]'],
  ['workers/scribe.md', 'read: preApproved, write', 'read: allowed, write'],
  ['workers/scribe.md', 'name: all, root: .', 'name: all'],
  ['workers/scribe.md', 'required: true', 'required: 1'],
  ['workers/scribe.md', 'network: none', 'network: host'],
  ['workers/scribe.md', 'network: none', 'network: [127.0.0.1]'],
  ['workers/scribe.md', 'network: none', 'network: []'],
  ['workers/scribe.md', 'network: none', 'network: ["a.com:65536"]'],
  ['workers/scribe.md', 'default: ask', 'default: preApproved'],
  ['workers/scribe.md', 'pattern: git log,', ''],
  ['workers/scribe.md', 'manual: true', 'manual: maybe'],
  ['workers/scribe.md', 'type: http', 'type: sse'],
  ['workers/scribe.md', 'args: [x@1.0.0]', 'arguments: [x@1.0.0]'],
  ['script.yaml', 'turns:', 'turn:'],
  ['script.yaml', 'tool: notify, input', 'tools: notify, input'],
  ['script.yaml', 'text: Done.', 'text: 5'],
]

test.each(wrong)('a schema rejects what check rejects: %s, %j → %j', (file, from, to) => {
  const text = whole[file] ?? ''
  expect(text).toContain(from)
  const changed = text.replace(from, to)
  expect(
    problemsOf({ ...whole, [file]: changed }).filter((one) => one.startsWith(file)),
  ).not.toEqual([])
  expect(accepts(file, changed)).toBe(false)
})

test.each(schemaNames)('schemas/%s.schema.json is current (scripts/write-derived.ts)', (name) => {
  const kept = readFileSync(path.join(root, 'schemas', `${name}.schema.json`), 'utf8')
  expect(JSON.parse(kept)).toEqual(jsonSchemaOf(name))
})
