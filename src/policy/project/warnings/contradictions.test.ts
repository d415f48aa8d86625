import { expect, test } from 'vitest'
import { parseProject } from '../parse-project.ts'

const config = `version: 1
teams:
  platform: { members: [ada@example.com, grace@example.com] }
queues: { platform: { team: platform } }
defaults: { queue: platform }
overlays:
  - when: { tool: shell }
    approval: ask
`
const worker = `---
model: anthropic:x
zones:
  - { name: repo, root: ., mode: ro }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { write: ask } }
shell:
  default: ask
  rules:
    - { pattern: git reset --hard, approval: blocked, reason: History is shared }
tools:
  slack_notify: { approval: ask }
mcpServers:
  files: { command: npx, args: [-y, "@x/server@1.2.3"], env: {} }
  wiki: { url: "https://wiki.example.com/mcp", headers: { authorization: "Bearer \${TOKEN}" } }
---
Write.
`

/** Problems and warnings as `file:line problem -> remedy`. */
function lines(changes: Readonly<Record<string, string>>): string[] {
  const files = { 'countersign.yaml': config, 'workers/scribe.md': worker, ...changes }
  const parsed = parseProject({ texts: new Map(Object.entries(files)), toolFiles: [] })
  const found = 'problems' in parsed ? parsed.problems : parsed.warnings
  return found.map((one) => `${one.file}:${one.line} ${one.problem} -> ${one.remedy}`)
}

test('the folder that the tests below change is valid', () => {
  expect(lines({})).toEqual([])
})

test('an approval has one reason, in its own braces or beside it', () => {
  const overlay = config.replace('approval: ask', 'approval: { blocked: a }\n    reason: b')
  const tool = worker.replace('{ approval: ask }', '{ approval: { blocked: a }, reason: b }')
  const rule = worker.replace('approval: blocked, reason', 'approval: { blocked: a }, reason')
  const second = 'is a second reason -> the approval has one already: keep one of them'
  expect(lines({ 'countersign.yaml': overlay })).toEqual([
    `countersign.yaml:9 "overlays[0].reason" ${second}`,
  ])
  expect(lines({ 'workers/scribe.md': tool })).toEqual([
    `workers/scribe.md:11 "tools.slack_notify.reason" ${second}`,
  ])
  expect(lines({ 'workers/scribe.md': rule })).toEqual([
    `workers/scribe.md:9 "shell.rules[0].reason" ${second}`,
  ])
})

test.each([
  ['its folder ends in a space', 'root: ./notes', 'root: "scratch "', 'ends in a space'],
  ['a server is called a__b', '  wiki: {', '  wi__ki: {', '"__" in it, or "_" at its end'],
  ['a server is called a_', '  wiki: {', '  wiki_: {', '"__" in it, or "_" at its end'],
  ['a variable has no name', 'env: {}', 'env: { "A B": x }', 'is not the name of a variable'],
  ['a header has no name', '{ authorization:', '{ "a b":', 'is not the name of a header'],
  [
    "a server wants the service's own secrets",
    'env: {}',
    'env: { A: "x ${COUNTERSIGN_SIGNING_KEY}" }',
    "names COUNTERSIGN_SIGNING_KEY, which is the service's own",
  ],
])('a setting that could never work is refused: %s', (_title, from, to, why) => {
  expect(lines({ 'workers/scribe.md': worker.replace(from, () => to) })).toEqual([
    expect.stringContaining(why),
  ])
})

test('an error in a file has no further warning about the same setting', () => {
  const text = config.replace('{ members:', '{ member:')
  expect(lines({ 'countersign.yaml': text })).toEqual([
    'countersign.yaml:3 unknown key "teams.platform.member" -> did you mean "members"?',
  ])
  expect(lines({ 'workers/scribe.md': worker.replace('mode: rw, suf', 'mode: w, suf') })).toEqual([
    'workers/scribe.md:5 "zones[1].mode" is "w" -> one of "ro", "rw"',
  ])
})
