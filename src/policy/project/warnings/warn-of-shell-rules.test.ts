import { expect, test } from 'vitest'
import { shell, warnings, zone } from './warnings.fixture.ts'

test('a rule for a whole program that can change files has a warning with what it also allows', () => {
  const worker = shell('pattern: git, approval: preApproved')
  expect(warnings({ worker })).toEqual([
    expect.stringMatching(
      /rule "git" also allows git add, git apply, git checkout and 11 more commands that change files; name the commands, like "git status"/,
    ),
  ])
})

test.each([
  ['kubectl-neat', 'is not a program that is known here'],
  ['docker ps', 'may run anything'],
])('a rule under which every operand asks has a warning: %s', (pattern, why) => {
  const worker = shell(`pattern: ${pattern}, approval: preApproved`)
  expect(warnings({ worker })).toEqual([
    expect.stringContaining(`rule "${pattern}" allows exactly "${pattern}" and nothing behind it`),
  ])
  expect(warnings({ worker })[0]).toContain(why)
})

test.each(['npm test', 'kubectl get', 'cat', 'git status', './check.sh src'])(
  'a rule that allows what it seems to has no warning: %s',
  (pattern) => {
    expect(warnings({ worker: shell(`pattern: ${pattern}, approval: preApproved`) })).toEqual([])
  },
)

// Rules: product.md 1
test('a rule that names a zone whose reads are blocked has a warning', () => {
  const zonesThat = (read: string): string =>
    `zones:\n  - { name: all, root: ., mode: ro }\n  - { name: hr, root: hr, mode: ro, approval: { read: ${read} } }\n`
  const warningsFor = (read: string): readonly string[] =>
    warnings({
      worker: `${zonesThat(read)}${shell('pattern: cat, approval: preApproved, zones: [all, hr]').slice(zone.length)}`,
    })
  expect(warningsFor('blocked')).toEqual([
    expect.stringContaining('rule "cat" names the zone hr, whose reads are blocked'),
  ])
  expect(warningsFor('ask')).toEqual([])
})
