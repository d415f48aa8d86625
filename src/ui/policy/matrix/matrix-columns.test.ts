import { expect, test } from 'vitest'
import type { ListedWorker, PreviewLineView } from '#api/schemas/operation/workers.ts'
import { builtInToolNames } from '#domain/tools/built-in-tools.ts'
import { cellOf, columnOf, matrixColumns } from './matrix-columns.ts'

const line = (more: Partial<PreviewLineView>): PreviewLineView => ({
  approval: 'ask',
  text: 'Write files in notes/',
  tools: ['write_file', 'edit_file'],
  reason: null,
  source: 'workers/scribe.md:9',
  queues: ['platform'],
  ...more,
})

const worker: ListedWorker = {
  name: 'scribe',
  description: '',
  model: 'script:x',
  scripted: true,
  queue: 'platform',
  startable: true,
  conversation: null,
  workspaces: ['default'],
  lines: [
    line({}),
    line({ approval: 'preApproved', text: 'Write files in scratch/', queues: [] }),
    line({ approval: 'blocked', text: 'Run any command', tools: [], queues: [] }),
    line({ text: 'Use mail', tools: ['mcp__mail__*'], queues: ['platform', 'security'] }),
  ],
}

test('a cell says each way that a call may go, with the queues that are asked', () => {
  expect(cellOf(worker, 'write').ways).toEqual([
    { approval: 'preApproved', queues: [] },
    { approval: 'ask', queues: ['platform'] },
  ])
  expect(cellOf(worker, 'tool').ways).toEqual([
    { approval: 'ask', queues: ['platform', 'security'] },
  ])
})

test('where a worker has no means, the cell says never', () => {
  expect(cellOf(worker, 'command')).toEqual({
    lines: [],
    ways: [{ approval: 'blocked', queues: [] }],
  })
})

test('every built-in tool has a column, and what deletes is in that of deleting', () => {
  const columns = new Set(matrixColumns.map(({ id }) => id))
  expect(builtInToolNames.every((tool) => columns.has(columnOf(tool)))).toBe(true)
  expect(['move_file', 'shell', 'call_worker', 'read_file', 'ask_person'].map(columnOf)).toEqual([
    'delete',
    'command',
    'delegate',
    'read',
    'tool',
  ])
})
