import { expect, test } from 'vitest'
import { changesLines } from './changes-text.ts'
import { printableLine } from './terminal-text.ts'

const id = '01930000-0000-7000-8000-000000000001'
const hash = `sha256:${'0'.repeat(64)}`
const call = (turn: number, tool: string) => ({ id, runId: id, turn, position: 1, tool })

// Rules: product.md 28
test('each changed file has its lines, requests and calls; what is not listed and not known is counted', () => {
  const file = { before: hash, after: hash, added: 2, removed: 1, requests: [142] }
  const calls = [5, 4, 3, 2].map((turn) => call(turn, 'shell'))
  const lines = changesLines({
    items: [
      { ...file, path: 'a.txt', change: 'modified', calls },
      {
        ...file,
        path: 'b\u001b.txt',
        from: 'c.txt',
        change: 'moved',
        added: null,
        removed: null,
        requests: [],
        calls: [call(-1, 'deploy')],
      },
    ],
    nextCursor: null,
    total: 3,
    more: 7,
    unknown: { commands: 1, calls: 2 },
  })
  expect(lines.join('\n')).not.toContain('\u001b')
  expect(lines).toEqual([
    'changed 3 files:',
    '  M a.txt  +2 −1  #142  by turn 5 shell, turn 4 shell, turn 3 shell, 1 more',
    `  R c.txt → ${printableLine('b\u001b.txt')}  by deploy`,
    '  and 1 more',
    '7 more changes by commands, not listed',
    '1 command and 2 calls of other tools may have changed other files',
  ])
})
