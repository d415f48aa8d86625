import { expect, test } from 'vitest'
import { projectWith } from '../../../../test/harness/fixtures/judging.ts'
import { unknownPrograms } from './unknown-programs.ts'

test('each rule for a program that is not on this host is pointed out; builtins and paths are not', async () => {
  const rules = ['git log', 'gti log', 'gti push', 'cd', './scripts/build']
    .map((pattern) => `    - { pattern: ${pattern}, approval: ask }`)
    .join('\n')
  const policy = projectWith(`zones: [{ name: all, root: . }]\nshell:\n  rules:\n${rules}`)
  const asked: string[] = []
  const found = await unknownPrograms(policy, async (name) => {
    asked.push(name)
    return name === 'git'
  })
  expect(asked).toEqual(['git', 'gti'])
  expect(found.map(({ file, line, severity }) => [file, line, severity])).toEqual([
    ['workers/scribe.md', 7, 'warning'],
    ['workers/scribe.md', 8, 'warning'],
  ])
  expect(found[0]?.problem).toContain('"gti", which is not on this host')
})
