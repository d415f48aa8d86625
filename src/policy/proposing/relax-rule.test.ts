import { expect, test } from 'vitest'
import { relaxRule } from './relax-rule.ts'

const file = `---
name: notes
# what may be written
zones:
  - { name: notes, root: ./notes, mode: rw, approval: { read: ask, write: ask } }
  - name: ask
    root: ./ask
    mode: rw
    approval:
      write: { approval: "ask", reason: Ask first }
      delete: { blocked: Never }
shell:
  rules:
    - { pattern: npm  test, approval: ask } # ask
    - { pattern: npm run, approval: blocked }
tools:
  notify: { approval: ask }
  word: ask # in a word
  other: {}
mcpServers:
  files: { command: files, tools: { read_file: ask } }
---
You ask. write: ask
`

test.each([
  ['zone:notes.write', 'read: ask, write: ask }', 'read: ask, write: preApproved }'],
  ['zone:notes.read', 'read: ask, write: ask }', 'read: preApproved, write: ask }'],
  ['zone:ask.write', 'approval: "ask", reason', 'approval: preApproved, reason'],
  ['shell:npm test', 'test, approval: ask } # ask', 'test, approval: preApproved } # ask'],
  ['tool:notify', 'notify: { approval: ask }', 'notify: { approval: preApproved }'],
  ['tool:word', 'word: ask # in', 'word: preApproved # in'],
  ['tool:mcp__files__read_file', 'read_file: ask', 'read_file: preApproved'],
])(
  '%s is pre-approved by changing one word, and nothing else of the file changes',
  (rule, from, to) => {
    expect(relaxRule(file, rule)).toBe(file.replace(from, to))
    const onWindows = file.replaceAll('\n', '\r\n')
    expect(relaxRule(onWindows, rule)).toBe(onWindows.replace(from, to))
  },
)

test.each([
  [
    'zone:notes.delete',
    'approval: { read: ask, write',
    'approval: { delete: preApproved, read: ask, write',
  ],
  [
    'zone:docs.write',
    'root: ./docs, mode: rw }',
    'root: ./docs, approval: { write: preApproved }, mode: rw }',
  ],
  [
    'zone:logs.write',
    '      delete: { blocked: Kept }\n',
    '      write: preApproved\n      delete: { blocked: Kept }\n',
  ],
  [
    'zone:tmp.delete',
    '    mode: rw # short-lived\n',
    '    approval: { delete: preApproved }\n    mode: rw # short-lived\n',
  ],
])(
  '%s, which asks because its zone says nothing, is pre-approved by adding its word',
  (rule, from, to) => {
    const silent = file.replace(
      'shell:\n',
      `  - { name: docs, root: ./docs, mode: rw }
  - name: logs
    root: ./logs
    mode: rw
    approval:
      delete: { blocked: Kept }
  - name: tmp
    root: ./tmp
    mode: rw # short-lived
shell:
`,
    )
    const relaxed = silent.replace(from, to)
    expect(relaxed).not.toBe(silent)
    expect(relaxRule(silent, rule)).toBe(relaxed)
    const onWindows = silent.replaceAll('\n', '\r\n')
    expect(relaxRule(onWindows, rule)).toBe(relaxed.replaceAll('\n', '\r\n'))
  },
)

test.each([
  'zone:ask.delete',
  'zone:ask.read',
  'zone:nothing.write',
  'shell:npm run',
  'shell:none',
  'tool:other',
  'default:ask',
  'mode:strict',
  'zone:__proto__.write',
])(
  'nothing is changed for %s, which asks by no word of a zone, a command or a tool, or does not ask',
  (rule) => {
    expect(relaxRule(file, rule)).toBeNull()
  },
)

test('a file that is no worker file, and a second zone of a name, are not changed', () => {
  expect(relaxRule('write: ask', 'zone:notes.write')).toBeNull()
  const twice = file.replace('name: ask\n', 'name: notes\n')
  expect(relaxRule(twice, 'zone:notes.write')).toBeNull()
})

test('a file in which one place stands for several zones is not changed: nobody was asked about the other', () => {
  const shared = `---
zones:
  - { name: a, root: a, approval: &p { delete: ask } }
  - { name: b, root: b, approval: *p }
---
`
  expect(relaxRule(shared, 'zone:a.write')).toBeNull()
  expect(relaxRule(shared, 'zone:a.delete')).toBeNull()
  const apart = shared.replace('*p', '{ delete: ask }')
  expect(relaxRule(apart, 'zone:a.write')).toContain('&p { write: preApproved, delete: ask }')
})

test('a zone that says nothing of sharing gets the word', () => {
  const text = '---\nzones:\n  - { name: a, root: a, approval: { read: ask } }\n---\n'
  expect(relaxRule(text, 'zone:a.share')).toContain('{ share: preApproved, read: ask }')
})
