import { expect, test } from 'vitest'
import { parseConfig } from '#test/harness/fixtures/project.ts'

function read(line: string) {
  const { config, problems } = parseConfig(`version: 1\n${line}\n`)
  return config === null ? problems.map(({ problem }) => problem) : config.commit
}

// Rules: product.md 36
test('commits get the configured name and address, or those of the worker and the service', () => {
  expect(read('commit: { name: Acme agents, email: agents@example.com }')).toEqual({
    name: 'Acme agents',
    email: 'agents@example.com',
  })
  expect(read('')).toBe(null)
})

test.each([
  ['commit: { name: Acme }', 'has no "email"'],
  ['commit: { email: agents@example.com }', 'has no "name"'],
  ['commit: { name: Acme, email: agents }', 'is not an e-mail address'],
  ['commit: { name: "A <b>", email: a@example.com }', 'has characters that no name'],
])('%s is an error: %s', (line, problem) => {
  expect(String(read(line))).toContain(problem)
})
