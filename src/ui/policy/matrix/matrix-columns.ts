import type { ListedWorker, PreviewLineView } from '#api/schemas/operation/workers.ts'
import { builtInTool, callWorkerName, isCommandTool } from '#domain/tools/built-in-tools.ts'
import { approvalWords, type ApprovalWord } from '#domain/policy/verdict.ts'

/** The kinds of calls, which are the columns of the matrix. */
export const matrixColumns = [
  { id: 'read', title: 'Read files' },
  { id: 'write', title: 'Write files' },
  { id: 'delete', title: 'Delete files' },
  { id: 'command', title: 'Run commands' },
  { id: 'tool', title: 'Other tools' },
  { id: 'delegate', title: 'Delegate' },
] as const

export type MatrixColumn = (typeof matrixColumns)[number]['id']

/** One cell: the verdicts for a kind of call of one worker, and the sentences behind them. */
export interface MatrixCell {
  readonly lines: readonly PreviewLineView[]
  /** the possible verdicts; "never" only if there is no other */
  readonly ways: readonly MatrixWay[]
}

/** A verdict. `places`: its folders, if others differ; empty: everywhere. */
export interface MatrixWay {
  readonly approval: ApprovalWord
  readonly queues: readonly string[]
  readonly places: readonly string[]
}

/** The cell of a worker in a column. Pure. */
export function cellOf(worker: ListedWorker, column: MatrixColumn): MatrixCell {
  const lines = (worker.lines ?? []).filter(({ tools }) =>
    tools.some((tool) => columnOf(tool) === column),
  )
  const ways = approvalWords.flatMap((approval) => {
    const ownLines = lines.filter((line) => line.approval === approval)
    if (approval === 'blocked') return []
    // Each group of queues is a line of its own, with the folders where it is asked.
    const groups = Object.values(
      Object.groupBy(ownLines, ({ queues }) => queues.toSorted().join(' ')),
    )
    return groups.flatMap((group = []) => [
      { approval, queues: group[0]?.queues ?? [], places: placesOf(group) },
    ])
  })
  const [only, other] = ways
  if (only === undefined) return { lines, ways: [{ approval: 'blocked', queues: [], places: [] }] }
  const isEverywhere = other === undefined && only.places.includes(elsewhere)
  return { lines, ways: isEverywhere ? [{ ...only, places: [] }] : ways }
}

const elsewhere = 'elsewhere'

/** The folders of the lines. The whole workspace is all outside of narrower zones. */
function placesOf(lines: readonly PreviewLineView[]): readonly string[] {
  const places = new Set(lines.flatMap(({ place }) => place ?? []))
  const folderNames = [...places].filter((place) => place !== '').map((place) => `${place}/`)
  return places.has('') ? [...folderNames, elsewhere] : folderNames
}

function columnOf(tool: string): MatrixColumn {
  if (isCommandTool(tool)) return 'command'
  if (tool === callWorkerName) return 'delegate'
  const operations = builtInTool(tool)?.operations ?? []
  const [first] = (['delete', 'write', 'read'] as const).filter((one) => operations.includes(one))
  return first ?? 'tool'
}
