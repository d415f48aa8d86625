import { expect, test } from 'vitest'
import { projectWith } from '#test/harness/fixtures/judging.ts'
import { unknownPrograms, unknownTools } from './unknown-names.ts'

test('a tool without a definition is an error where it is listed; built-in and defined tools are not', () => {
  const policy = projectWith('tools: { notify: {}, notfy: {}, ask_person: {}, deploy: {} }')
  const found = unknownTools(policy, new Set(['notify'])).map((one) => [
    one.line,
    one.problem,
    one.remedy,
  ])
  expect(found).toEqual([
    [
      3,
      'the worker lists the tool "notfy", which no file in tools/ defines',
      'did you mean "notify"?',
    ],
    [
      3,
      'the worker lists the tool "deploy", which no file in tools/ defines',
      'define it in a file of tools/, or remove it',
    ],
  ])
})

test('a tool of the worker’s own MCP server is no error, since only the server knows it; a tool of another server is', () => {
  const servers = 'mcpServers: { files: { command: files } }'
  const policy = projectWith(`tools: { mcp__files__read: {}, mcp__other__read: {} }\n${servers}`)
  const found = unknownTools(policy, new Set()).map((one) => one.problem)
  expect(found).toEqual([expect.stringContaining('"mcp__other__read"')])
})

test('each rule for a program that this host lacks has a warning; rules for builtins and paths have none', async () => {
  const rules = ['git log', 'gti log', 'gti push', 'cd', './scripts/build']
    .map((pattern) => `    - { pattern: ${pattern}, approval: ask }`)
    .join('\n')
  const policy = projectWith(`zones: [{ name: all, root: . }]\nshell:\n  rules:\n${rules}`)
  const questions: string[] = []
  const found = await unknownPrograms(policy, async (name) => {
    questions.push(name)
    return name === 'git'
  })
  expect(questions).toEqual(['git', 'gti'])
  expect(found.map(({ file, line, severity }) => [file, line, severity])).toEqual([
    ['workers/scribe.md', 7, 'warning'],
    ['workers/scribe.md', 8, 'warning'],
  ])
  expect(found[0]?.problem).toContain('"gti", which is not on this host')
})
