import { describe, expect, it } from 'vitest'
import { parseProject } from '#policy/project/parse-project.ts'
import { mayReadWithin, readingBounds } from './may-read.ts'

const settings = `version: 1
teams:
  team: { members: [a@example.com] }
queues:
  team: { team: team }
defaults: { queue: team }
overlays:
  - when: { tool: read_file, path: "notes/private/**" }
    approval: ask
`
const worker = `---
name: w
description: A worker
model: script:./s.yaml
zones:
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md] }
  - { name: code, root: ./code, mode: ro }
---
Do.
`

function reading() {
  const texts = new Map([
    ['countersign.yaml', settings],
    ['workers/w.md', worker],
    ['s.yaml', 'turns:\n  - text: Done.\n'],
  ])
  const result = parseProject({ texts, toolFiles: [] })
  if (!('policy' in result)) throw new Error(JSON.stringify(result.problems))
  const definition = result.policy.workers.get('w')
  if (definition === undefined) throw new Error('no worker')
  return mayReadWithin(readingBounds(result.policy, definition))
}

describe('mayReadWithin', () => {
  it.each([
    ['notes/a.md', 'file', true],
    ['notes/a.txt', 'file', false],
    ['code/a.ts', 'file', true],
    ['other/a.md', 'file', false],
    ['code/.env', 'file', false],
    ['code/.env.local', 'file', false],
    ['code/deploy.pem', 'file', false],
    ['code/.ssh/id_rsa', 'file', false],
    ['notes/private/a.md', 'file', false],
    ['notes/private', 'directory', true],
    ['other', 'directory', false],
  ] as const)('lets a search look into %s (%s): %s', (path, kind, allowed) => {
    expect(reading()(path, kind, path.split('/')[0] ?? '')).toBe(allowed)
  })
})
