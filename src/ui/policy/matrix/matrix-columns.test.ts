import { expect, test } from 'vitest'
import type { ListedWorker, PreviewLineView } from '#api/schemas/operation/workers.ts'
import { builtInToolNames } from '#domain/tools/built-in-tools.ts'
import { cellOf, matrixColumns } from './matrix-columns.ts'

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
    line({ place: 'notes' }),
    line({
      approval: 'preApproved',
      text: 'Write files in scratch/',
      place: 'scratch',
      queues: [],
    }),
    line({ approval: 'blocked', text: 'Write files in the workspace', place: '', queues: [] }),
    line({ approval: 'preApproved', tools: ['read_file'], place: '', queues: [] }),
    line({ approval: 'preApproved', tools: ['read_file'], place: 'notes', queues: [] }),
    line({ approval: 'blocked', text: 'Run any command', tools: [], queues: [] }),
    line({ text: 'Use mail', tools: ['mcp__mail__*'], queues: ['platform', 'security'] }),
  ],
}

test('a cell says each way that a call may go, where, and which queues are asked', () => {
  expect(cellOf(worker, 'write').ways).toEqual([
    { approval: 'preApproved', queues: [], places: ['scratch/'] },
    { approval: 'ask', queues: ['platform'], places: ['notes/'] },
  ])
  expect(cellOf(worker, 'tool').ways).toEqual([
    { approval: 'ask', queues: ['platform', 'security'], places: [] },
  ])
})

test('folders whose calls go to different queues are said apart', () => {
  const asks = (place: string, ...queues: string[]) => line({ place, queues })
  const lines = [asks('notes', 'platform'), asks('infra', 'security'), asks('docs', 'platform')]
  expect(cellOf({ ...worker, lines }, 'write').ways).toEqual([
    { approval: 'ask', queues: ['platform'], places: ['notes/', 'docs/'] },
    { approval: 'ask', queues: ['security'], places: ['infra/'] },
  ])
})

test('what holds in the whole workspace names no place', () => {
  expect(cellOf(worker, 'read').ways).toEqual([{ approval: 'preApproved', queues: [], places: [] }])
})

test('the cell says never if the worker has no tool of the column', () => {
  expect(cellOf(worker, 'command')).toEqual({
    lines: [],
    ways: [{ approval: 'blocked', queues: [], places: [] }],
  })
})

test('every built-in tool has a column, and what deletes is in that of deleting', () => {
  const columnsOf = (tool: string) =>
    matrixColumns
      .filter(
        ({ id }) => cellOf({ ...worker, lines: [line({ tools: [tool] })] }, id).lines.length > 0,
      )
      .map(({ id }) => id)
  for (const tool of builtInToolNames) expect(columnsOf(tool)).toHaveLength(1)
  const tools = ['move_file', 'shell', 'call_worker', 'read_file', 'ask_person']
  expect(tools.flatMap(columnsOf)).toEqual(['delete', 'command', 'delegate', 'read', 'tool'])
})
