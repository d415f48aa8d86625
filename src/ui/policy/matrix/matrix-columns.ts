import type { ListedWorker, PreviewLineView } from '#api/schemas/operation/workers.ts'
import { builtInTool, callWorkerName, isCommandTool } from '#domain/tools/built-in-tools.ts'
import { approvalWords, type ApprovalWord } from '#domain/policy/verdict.ts'

/** What a column of the matrix is about. */
export const matrixColumns = [
  { id: 'read', title: 'Read files' },
  { id: 'write', title: 'Write files' },
  { id: 'delete', title: 'Delete files' },
  { id: 'command', title: 'Run commands' },
  { id: 'tool', title: 'Other tools' },
  { id: 'delegate', title: 'Delegate' },
] as const

export type MatrixColumn = (typeof matrixColumns)[number]['id']

/** One cell: what a worker may do of one kind, and every sentence behind it. */
export interface MatrixCell {
  readonly lines: readonly PreviewLineView[]
  /** each way that such a call may go; "never" alone where there is no other */
  readonly ways: readonly MatrixWay[]
}

/** `places`: where it goes so, if it goes otherwise elsewhere; none: everywhere. */
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
    const of = lines.filter((line) => line.approval === approval)
    if (of.length === 0 || approval === 'blocked') return []
    const queues = [...new Set(of.flatMap((line) => line.queues))]
    return [{ approval, queues, places: placesOf(of) }]
  })
  const [only, other] = ways
  if (only === undefined) return { lines, ways: [{ approval: 'blocked', queues: [], places: [] }] }
  const isEverywhere = other === undefined && only.places.includes(elsewhere)
  return { lines, ways: isEverywhere ? [{ ...only, places: [] }] : ways }
}

const elsewhere = 'elsewhere'

/** The folders of lines; the whole workspace is what no narrower zone covers. */
function placesOf(lines: readonly PreviewLineView[]): readonly string[] {
  const places = new Set(lines.flatMap(({ place }) => place ?? []))
  const named = [...places].filter((place) => place !== '').map((place) => `${place}/`)
  return places.has('') ? [...named, elsewhere] : named
}

/** The column that a tool's calls belong to. */
export function columnOf(tool: string): MatrixColumn {
  if (isCommandTool(tool)) return 'command'
  if (tool === callWorkerName) return 'delegate'
  const operations = builtInTool(tool)?.operations ?? []
  const [first] = (['delete', 'write', 'read'] as const).filter((one) => operations.includes(one))
  return first ?? 'tool'
}
